import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { EXIT_CODES, exitCodeFor } from '../../tools/cli/src/report/exit-codes.ts';

/** The page of exit codes and of the error codes behind each. */
export function exitCodesPage(root: string): string {
  const packages = errorCodes(join(root, 'tools'));
  const exits = EXIT_CODES.map(({ exit, name, meaning }) => `| ${exit} | ${name} | ${meaning} |`);
  const codes = [...packages.keys()].sort().map((code) => {
    const names = [...(packages.get(code) as ReadonlySet<string>)].sort();
    return `| \`${code}\` | ${exitCodeFor(code) ?? 1} | ${names.map((name) => `\`${name}\``).join(', ')} |`;
  });
  return [
    '# Exit codes and error codes',
    ['| exit code | name | meaning |', '|---|---|---|', ...exits].join('\n'),
    '## Error codes',
    `With \`--json\`, a failed command prints \`{"errors": [{"code": ..., "message": ...}]}\`. Messages may change
between versions; codes stay. The last column names the package in \`tools/\` that raises the code.`,
    ['| error code | exit code | package |', '|---|---|---|', ...codes].join('\n'),
  ].join('\n\n');
}

/** Every error code in the sources, with the packages that raise it. */
function errorCodes(tools: string): ReadonlyMap<string, ReadonlySet<string>> {
  const packages = new Map<string, Set<string>>();
  for (const entry of readdirSync(tools, { recursive: true, withFileTypes: true })) {
    const isSource = entry.isFile() && /(?<!\.test)\.ts$/.test(entry.name);
    if (!isSource || entry.parentPath.includes('testing')) continue;
    const path = join(entry.parentPath, entry.name);
    const owner = relative(tools, path).split(sep)[0] as string;
    for (const [, code] of readFileSync(path, 'utf8').matchAll(/\bcode: '([a-z-]+)'/g))
      packages.set(code as string, (packages.get(code as string) ?? new Set()).add(owner));
  }
  return packages;
}

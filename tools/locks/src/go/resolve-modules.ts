import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, sha256 } from '#core';
import type { GoDefinition } from '#definitions';
import { GO_MAIN_MODULE, goModuleFiles, goProxyPath, type GoModuleFile } from '#formats';
import type { GoFile, LockedGo } from '../types.ts';
import type { GoTool } from './go-tool.ts';

export interface ModulesRequest {
  readonly title: string;
  readonly definition: GoDefinition;
  readonly scratch: string;
  readonly keep?: LockedGo;
}

/** The oldest language version with which Go reads only the go.mod files that it needs. */
const FIRST_LANGUAGE = '1.21';
const MODULE = '{{with .Module}}{{.Path}} {{.Version}}{{end}}';

/**
 * Resolves the modules of a definition's packages in two passes. The first determines the versions
 * with the proxies. The second starts with an empty module cache and the go.mod and go.sum of a
 * build, and can read only the modules downloaded by the first; the files that it reads are locked.
 * Raises `go-unresolvable`.
 */
export async function resolveModules(
  tool: GoTool,
  { title, definition, scratch, keep }: ModulesRequest,
): Promise<LockedGo> {
  const { modules, packages, programs } = definition;
  const wanted = [
    ...new Set([...packages, ...Object.values(programs).filter((path) => !path.startsWith('./'))]),
  ].sort();
  if (wanted.length === 0)
    throw new CcpError({
      code: 'go-unresolvable',
      message: `${title} lists Go modules, but no packages to build`,
      hint: 'add go.programs or go.packages to image.yaml',
    });
  const first = mkdtempSync(join(scratch, 'go-'));
  writeFileSync(join(first, 'go.mod'), `module ${GO_MAIN_MODULE}\n\ngo ${FIRST_LANGUAGE}\n`);
  await tool.run(['get', ...modules.map((module) => queryOf(module, keep?.requires ?? {}))], {
    folder: first,
  });
  const used = lines(
    await tool.run(['list', '-mod=mod', '-deps', '-f', MODULE, ...wanted], { folder: first }),
  );
  const required = lines(
    await tool.run(
      ['list', '-mod=mod', '-m', '-f', '{{.Path}} {{.Version}}', ...modules.map(pathOf)],
      { folder: first },
    ),
  );
  const language =
    /^go (\S+)$/m.exec(readFileSync(join(first, 'go.mod'), 'utf8'))?.[1] ?? FIRST_LANGUAGE;
  const sums = readSums(readFileSync(join(first, 'go.sum'), 'utf8'));

  const second = mkdtempSync(join(scratch, 'go-'));
  const built = [...used].map((line): GoModuleFile => ({ ...named(line), kind: 'zip', sum: '' }));
  writeFileSync(join(second, 'go.mod'), goModuleFiles(language, built).mod);
  writeFileSync(join(second, 'go.sum'), goModuleFiles(language, sums).sum);
  const fresh = join(second, 'modules');
  const env = { GOMODCACHE: fresh, GOPROXY: `file://${tool.downloads}`, GOSUMDB: 'off' };
  await tool.run(['list', '-mod=readonly', '-deps', ...wanted], { folder: second, env });
  return {
    language,
    requires: Object.fromEntries(
      [...required].map(named).map(({ name, version }) => [name, version]),
    ),
    files: sums.flatMap((file) =>
      lockedFile(join(fresh, 'cache', 'download', goProxyPath(file)), file),
    ),
  };
}

function pathOf(module: string): string {
  return module.slice(0, module.indexOf('@'));
}

/** The query for `go get`: the locked version if it still matches the definition. */
function queryOf(module: string, kept: Readonly<Record<string, string>>): string {
  const query = module.slice(module.indexOf('@') + 1);
  const version = kept[pathOf(module)];
  return version !== undefined && (query === 'latest' || version.startsWith(`${query}.`))
    ? `${pathOf(module)}@${version}`
    : module;
}

function lines(text: string): Set<string> {
  return new Set(text.split('\n').filter((line) => line.includes(' ')));
}

function named(line: string): { readonly name: string; readonly version: string } {
  const [name = '', version = ''] = line.split(' ');
  return { name, version };
}

/** Parses the lines of a go.sum file. */
function readSums(text: string): GoModuleFile[] {
  return text.split('\n').flatMap((line): GoModuleFile[] => {
    const [name, version, sum] = line.split(' ');
    if (name === undefined || version === undefined || sum === undefined) return [];
    return [
      {
        name,
        version: version.replace(/\/go\.mod$/, ''),
        kind: version.endsWith('/go.mod') ? 'mod' : 'zip',
        sum,
      },
    ];
  });
}

function lockedFile(path: string, file: GoModuleFile): GoFile[] {
  if (!existsSync(path)) return [];
  const bytes = readFileSync(path);
  return [{ ...file, sha256: sha256(bytes), size: bytes.length }];
}

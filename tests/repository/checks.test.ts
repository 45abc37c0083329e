import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The output and exit code of a check in the scripts of package.json. */
function run(program: string, ...args: readonly string[]): Promise<readonly [unknown, string]> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`node_modules/${program}`, ...args],
      { cwd: root, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve([error?.code ?? 0, stdout + stderr]),
    );
  });
}

it('has no finding of the linter (npm run lint)', { timeout: 300_000 }, async () => {
  const [code, output] = await run('oxlint/bin/oxlint', '--deny-warnings', 'ci', 'tools', 'tests');
  expect(output).toContain('Found 0 warnings and 0 errors.');
  expect(code).toBe(0);
});

it('has no unused file, export or dependency (npm run unused)', { timeout: 300_000 }, async () => {
  expect(await run('knip/bin/knip.js', '--no-progress')).toEqual([0, '']);
});

it('is formatted (npm run format)', { timeout: 300_000 }, async () => {
  const cache = ['--cache', '--cache-location', '.ccp/prettier'];
  const [code, output] = await run('prettier/bin/prettier.cjs', '--list-different', ...cache, '.');
  expect(output).toBe('');
  expect(code).toBe(0);
});

it('has scripts in ci/ that set the folder of bootstrap.sh before they source it', () => {
  const texts = readdirSync(`${root}ci`, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.'))
    .map(({ name }) => [name, readFileSync(`${root}ci/${name}`, 'utf8')] as const)
    .filter(([, text]) => text.includes('bootstrap.sh"'));
  const setup = '\nbootstrap=$root/ci\n. "$bootstrap/bootstrap.sh"\n';
  expect(texts.map(([name]) => name).sort()).toEqual(['bench', 'docs', 'pre-commit']);
  expect(texts.filter(([, text]) => !text.includes(setup)).map(([name]) => name)).toEqual([]);
});

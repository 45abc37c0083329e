import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { damagedModules } from '../../tools/cli/src/report/damaged-modules.ts';
import { REPOSITORY } from '../helpers/ccp.ts';

// A clone with the launcher's files, one package, and a source instead of ccp.
let root: string;
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const start = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'ci/start.ts'), ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-damaged-'));
  mkdirSync(join(root, 'ci'));
  for (const name of ['start.ts', 'bundle-list.ts', 'check-modules.ts'])
    copyFileSync(join(REPOSITORY, 'ci', name), join(root, 'ci', name));
  write('package.json', '{"type":"module"}');
  const lock = '{"packages":{"node_modules/one":{"version":"1.0.0"}}}';
  write('package-lock.json', lock);
  write('node_modules/one/package.json', '{"main":"index.mjs"}');
  write('node_modules/one/index.mjs', 'export const one = 1;\n');
  write('node_modules/.package-lock.json', lock);
  write('tools/cli/src/main.ts', 'import { one } from "one";\nconsole.log(one);\n');
  const check = [join(root, 'ci/check-modules.ts'), join(root, 'package-lock.json')];
  expect(spawnSync(process.execPath, [...check, join(root, 'node_modules')]).status).toBe(0);
});
afterEach(() => rmSync(root, { recursive: true }));

it('names the damaged packages and a remedy if a module was emptied', () => {
  expect(start()).toEqual({ status: 0, stdout: '1\n', stderr: '' });
  write('node_modules/one/index.mjs', '');
  const message = `npm packages in ${root}/node_modules are damaged: The requested module 'one' does not provide an export named 'one'`;
  const hint = `run: rm -rf ${root}/node_modules; the next ccp installs them again`;
  const stderr = `ccp: ${message}\n  -> ${hint}\n`;
  expect(start()).toEqual({ status: 5, stdout: '', stderr });
  const { stdout, ...rest } = start('plan', '--json');
  expect(rest).toEqual({ status: 5, stderr });
  expect(JSON.parse(stdout)).toEqual({ errors: [{ code: 'machine-modules', message, hint }] });
  expect(damagedModules(root, new Error('no export'))).toMatchObject({
    code: 'machine-modules',
    message: `npm packages in ${root}/node_modules are damaged: no export`,
    hint,
  });
});

it('keeps another error with complete packages', () => {
  write('tools/cli/src/main.ts', 'throw new Error("other");\n');
  expect(start()).toMatchObject({ status: 1, stderr: expect.stringContaining('Error: other') });
  expect(damagedModules(root, new Error('other'))).toBeUndefined();
});

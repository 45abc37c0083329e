import { afterEach, beforeEach, expect, it } from 'vitest';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

beforeEach(() => {
  workspace = testWorkspace();
  workspace.write('images/base/image.yaml', 'title: Base\ndescription: A base.\nroot: a test\n');
});

afterEach(() => workspace.remove());

it('reports an expired override in lock, lock --check and build, without failing', async () => {
  const override = (expires: string) =>
    `      - { requirement: a==1.1, reason: a hole in 1.0, expires: "${expires}" }\n`;
  const series =
    'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: constraints.txt\n    overrides:\n';
  workspace.write('images/constraints.txt', 'a===1.0\nb===1.0\n');
  workspace.write(
    'images/series.yaml',
    `${series}${override('2025-12-31')}${override('2099-12-31').replace('a==1.1', 'b==1.1')}`,
  );
  const warning =
    'images/series.yaml:8:24: the override a==1.1 expired on 2025-12-31: a hole in 1.0; remove it, or set a later date\n';
  const locked = await runInProcess(workspace.root, ['lock']);
  expect(locked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(warning) as string });
  const built = await runInProcess(workspace.root, ['build', '--engine', 'unix:///nowhere.sock']);
  expect(built.stderr).toContain(warning);
  expect(await runInProcess(workspace.root, ['lock', '--check'])).toMatchObject({
    exitCode: 0,
    stdout: `1 lock is up to date\n${warning}`,
  });
});

it('reports an override of an unused project in lock', async () => {
  workspace.write('images/constraints.txt', 'pyasn1===0.6.1\n');
  workspace.write(
    'images/series.yaml',
    'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: constraints.txt\n    overrides: [{ requirement: pyasn==0.6.2, reason: a hole, expires: "2099-12-31" }]\n',
  );
  const warning =
    'images/series.yaml:7:32: the override pyasn==0.6.2 has no effect: no constraint or lock of 2026.1 contains this project; did you mean pyasn1?\n';
  expect((await runInProcess(workspace.root, ['lock'])).stderr).toContain(warning);
});

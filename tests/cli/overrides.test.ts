import { afterEach, beforeEach, expect, test } from 'vitest';
import { ccpHere } from '../support/ccp-here.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;

beforeEach(() => {
  workspace = testWorkspace();
  workspace.write('images/base/image.yaml', 'title: Base\ndescription: A base.\nroot: a test\n');
});

afterEach(() => workspace.remove());

test('an override that has expired is told when locking, by --check and when building, and ends none of them', async () => {
  const override = (expires: string) => `      - { requirement: a==1.1, reason: a hole in 1.0, expires: "${expires}" }\n`;
  const series = 'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: constraints.txt\n    overrides:\n';
  workspace.write('images/constraints.txt', 'a===1.0\nb===1.0\n');
  workspace.write('images/series.yaml', `${series}${override('2025-12-31')}${override('2099-12-31').replace('a==1.1', 'b==1.1')}`);
  const told = 'images/series.yaml:8:24: the override a==1.1 expired on 2025-12-31: a hole in 1.0; drop it, or give it a later day\n';
  const locked = await ccpHere(workspace.root, ['lock']);
  expect(locked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(told) as string });
  const built = await ccpHere(workspace.root, ['build', '--engine', 'unix:///nowhere.sock']);
  expect(built.stderr).toContain(told);
  expect(await ccpHere(workspace.root, ['lock', '--check'])).toMatchObject({ exitCode: 0, stdout: `1 lock answers its definition\n${told}` });
});

test('an override of a project that nothing needs is told when locking', async () => {
  workspace.write('images/constraints.txt', 'pyasn1===0.6.1\n');
  workspace.write(
    'images/series.yaml',
    'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    constraints: constraints.txt\n    overrides: [{ requirement: pyasn==0.6.2, reason: a hole, expires: "2099-12-31" }]\n',
  );
  const told =
    'images/series.yaml:7:32: the override pyasn==0.6.2 changes nothing: no constraint and no lock of 2026.1 has this project; did you mean pyasn1?\n';
  expect((await ccpHere(workspace.root, ['lock'])).stderr).toContain(told);
});

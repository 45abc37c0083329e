import { afterEach, beforeEach, expect, test } from 'vitest';
import { ccpHere } from '../support/ccp-here.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;

beforeEach(() => {
  workspace = testWorkspace();
  workspace.write('images/base/image.yaml', 'title: Base\ndescription: A base.\nroot: a test\n');
});

afterEach(() => workspace.remove());

test('an override that has expired is told when locking and by --check, and ends neither', async () => {
  const override = (expires: string) => `      - { requirement: a==1.1, reason: a hole in 1.0, expires: "${expires}" }\n`;
  const series = 'series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    overrides:\n';
  workspace.write('images/series.yaml', `${series}${override('2025-12-31')}${override('2099-12-31')}`);
  const told = 'images/series.yaml:7:24: the override a==1.1 expired on 2025-12-31: a hole in 1.0; drop it, or give it a later day\n';
  const locked = await ccpHere(workspace.root, ['lock']);
  expect(locked).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(told) as string });
  expect(await ccpHere(workspace.root, ['lock', '--check'])).toMatchObject({ exitCode: 0, stdout: `1 locks answer their definitions\n${told}` });
});

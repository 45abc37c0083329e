import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
const run = (...args: readonly string[]) => runInProcess(workspace.root, ['durations', ...args]);
const path = (name: string): string => join(workspace.root, name);

beforeAll(() => {
  workspace = testWorkspace();
  for (const name of ['base', 'service']) {
    const parents = name === 'base' ? '' : 'parents: { base: base }\n';
    workspace.write(
      `images/${name}/image.yaml`,
      `title: ${name}\ndescription: An image.\nroot: a test\n${parents}`,
    );
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\n');
    workspace.write(`images/${name}/lock/2026.1.yaml`, '#'.repeat(name === 'base' ? 999 : 5000));
  }
});
afterAll(() => workspace.remove());

it('estimates a first build from locks, and commits measured times for other machines', async () => {
  expect(await run()).toEqual({
    exitCode: 0,
    stdout: 'service   16 s  estimated\nbase     9.6 s  estimated\n2 images, 26 s in total\n',
    stderr: '',
  });
  expect(await run('--write')).toEqual({
    exitCode: 0,
    stdout:
      'images/durations.json is unchanged: this workspace has no build times of the series yet; run `ccp build` first\n',
    stderr: '',
  });
  expect(existsSync(path('images/durations.json'))).toBe(false);
  mkdirSync(path('.ccp'), { recursive: true });
  writeFileSync(
    path('.ccp/durations.json'),
    '{"format":1,"scopes":{"2026.1 linux/amd64":{"base":40,"service":19.6}}}',
  );
  expect(await run('--write')).toMatchObject({
    exitCode: 0,
    stdout: 'images/durations.json: build times of 2 images written\n',
  });
  expect(JSON.parse(readFileSync(path('images/durations.json'), 'utf8'))).toEqual({
    format: 1,
    scopes: { '2026.1 linux/amd64': { base: 40, service: 20 } },
  });
  rmSync(path('.ccp/durations.json'));
  expect(await run('service')).toMatchObject({
    stdout: 'base     40 s  committed\nservice  20 s  committed\n2 images, 1 min 0 s in total\n',
  });
});

it('refuses --write with image names', async () => {
  rmSync(path('images/durations.json'), { force: true });
  expect(await run('service', '--write')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ccp: --write cannot be used with image names\n',
  });
  expect(existsSync(path('images/durations.json'))).toBe(false);
});

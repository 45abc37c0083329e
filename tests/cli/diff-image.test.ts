import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Digest } from '#core';
import { runInProcess } from '../helpers/run-in-process.ts';
import { storePlannedImage } from '../helpers/store-planned-image.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
let env: Readonly<Record<string, string>>;
let current: Digest;
let other: Digest;

const run = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runInProcess(workspace.root, args, env);
  return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
};

beforeAll(async () => {
  workspace = testWorkspace();
  env = { CCP_CACHE: join(workspace.root, 'cache'), DOCKER_HOST: 'unix:///nothing.sock' };
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
  current = await storePlannedImage(workspace.root, 'base', env);
  other = await storePlannedImage(workspace.root, 'base', env, {
    folder: 'other',
    members: [
      { name: 'a', type: 'file', mode: 0o755 },
      { name: 'b\u001b[31m', type: 'file' },
    ],
  });
});

afterAll(() => workspace.remove());

it('says that an image is equal to itself', async () => {
  expect(await run('diff-image', 'base', `base@${current}`)).toEqual({
    exitCode: 0,
    stdout: `.ccp/store@${current}\n.ccp/store@${current}\nthe images are equal`,
    stderr: '',
  });
});

it('names the paths of an image in another layout that differ, and exits with 1', async () => {
  const { exitCode, stdout } = await run('diff-image', current, `oci:other@${other}`);
  expect(exitCode).toBe(1);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 2)).toEqual([`.ccp/store@${current}`, `other@${other}`]);
  expect(lines[2]).toMatch(/^layer 1: sha256:[0-9a-f]{64} and sha256:[0-9a-f]{64}$/);
  expect(lines.slice(3, 5)).toEqual([
    '  a: mode 0644 and 0755',
    '  b\\u001b[31m: only in the second image',
  ]);
  expect(lines.at(-1)).toBe('2 paths in 1 layer and 0 fields of the configuration differ');
});

it('prints the difference as JSON', async () => {
  const { stdout } = await run('diff-image', 'base', `oci:other@${other}`, '--json');
  expect(JSON.parse(stdout)).toMatchObject({
    equal: false,
    images: [{ digest: current }, { digest: other }],
    layers: [
      {
        layer: 1,
        members: [
          { path: 'a', fields: [{ field: 'mode', values: ['0644', '0755'] }] },
          { path: 'b\u001b[31m', fields: [], absent: 'first' },
        ],
      },
    ],
  });
});

it('refuses references of other forms', async () => {
  expect(await run('diff-image', 'base', 'base:latest')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ccp: base:latest is not an image, a digest or a layout with a digest
  -> write IMAGE, IMAGE@sha256:DIGEST, sha256:DIGEST or oci:FOLDER@sha256:DIGEST`,
  });
});

it('names the digest that a layout does not have', async () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const { exitCode, stderr } = await run('diff-image', 'base', digest);
  expect(exitCode).toBe(6);
  expect(stderr).toContain(digest);
});

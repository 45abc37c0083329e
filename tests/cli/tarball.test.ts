import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
beforeAll(() => {
  ({ workspace } = exampleWorkspace());
  workspace.write('set.json', missingImageSet([...EXAMPLE_IMAGES, 'gate']));
});
afterAll(() => workspace.remove());

const file = (name: string): string => join(workspace.root, name);
const exported = (name: string, ...more: readonly string[]) =>
  runInProcess(workspace.root, [
    'export',
    'tarball',
    'example',
    '--set',
    file('set.json'),
    '-o',
    file(name),
    ...more,
  ]);

it('writes equal bytes for equal input, and other bytes for another version', async () => {
  const { exitCode, stdout } = await exported('one.tgz');
  expect([exitCode, stdout]).toEqual([
    0,
    `example 2026.1-0 with 5 charts written to ${file('one.tgz')}\n`,
  ]);
  await exported('same.tgz');
  await exported('two.tgz', '--number', '2');
  const [one, same, two] = ['one.tgz', 'same.tgz', 'two.tgz'].map((name) =>
    readFileSync(file(name)),
  );
  expect(same!.equals(one!)).toBe(true);
  expect(two!.equals(one!)).toBe(false);
});

it('has paths below "./", checksums that md5sum accepts, and no times or owners', () => {
  const listed = execFileSync('tar', ['-tvzf', file('one.tgz'), '--full-time'], {
    encoding: 'utf8',
  });
  const lines = listed.trim().split('\n');
  expect(lines[0]).toMatch(/^drwxr-xr-x 0\/0 .* 1970-01-01 00:00:00 \.\/$/);
  for (const line of lines)
    expect(line).toMatch(/^(?:drwxr-xr-x|-rw-r--r--) 0\/0 +\d+ 1970-01-01 00:00:00 \.\//);
  mkdirSync(file('unpacked'));
  execFileSync('tar', [
    '-xf',
    file('one.tgz'),
    '-m',
    '--no-same-owner',
    '--no-same-permissions',
    '-C',
    file('unpacked'),
  ]);
  const sums = execFileSync('md5sum', ['-c', 'checksum.md5'], {
    cwd: file('unpacked'),
    encoding: 'utf8',
  });
  expect(sums).toContain('./charts/keystone-2026.1.0.tgz: OK\n');
  expect(readdirSync(file('unpacked')).sort()).toEqual([
    'ccp',
    'charts',
    'checksum.md5',
    'fluxcd-manifests',
    'metadata.yaml',
  ]);
});

it('passes the check, and a damaged copy does not', async () => {
  const check = (name: string) =>
    runInProcess(workspace.root, ['application', 'check', file(name)]);
  expect(await check('one.tgz')).toEqual({
    exitCode: 0,
    stdout: 'example 2026.1-0: 5 charts, 0 errors, 0 warnings\n',
    stderr: '',
  });
  workspace.write(
    'unpacked/metadata.yaml',
    'app_name: other\napp_version: 2026.1-0\nsupported_k8s_version: { minimum: "1.31" }\n',
  );
  execFileSync('tar', ['-czf', file('damaged.tgz'), '-C', file('unpacked'), '.']);
  const damaged = await check('damaged.tgz');
  expect([damaged.exitCode, damaged.stdout]).toEqual([
    1,
    "error checksums: checksum.md5: metadata.yaml has another MD5 sum\n    write it again: find . -type f ! -name '*.md5' -print0 | xargs -0 md5sum > checksum.md5\nother 2026.1-0: 5 charts, 1 error, 0 warnings\n",
  ]);
});

it('refuses an existing file, a wrong name and images with digests only', async () => {
  const again = await exported('one.tgz');
  expect([again.exitCode, again.stderr]).toEqual([
    2,
    expect.stringContaining(`${file('one.tgz')} exists already`),
  ]);
  const named = await exported('named.tgz', '--name', 'Cloud');
  expect([named.exitCode, named.stderr]).toEqual([
    2,
    expect.stringContaining('--name must have lower-case letters, digits and dashes, not "Cloud"'),
  ]);
  const path = 'deploy-specs/example/site.yaml';
  const site = readFileSync(file(path), 'utf8');
  workspace.write(
    path,
    `${site}external:\n  memcached: { reference: registry.test/memcached@sha256:${'0'.repeat(64)}, runtime: plain }\n`,
  );
  const external = await exported('external.tgz');
  expect([external.exitCode, external.stderr]).toEqual([
    2,
    expect.stringMatching(
      /deploy-specs\/example\/site\.yaml:\d+:\d+: StarlingX pulls images by tag, but the external image "memcached" has a digest/,
    ),
  ]);
  workspace.write(path, site);
});

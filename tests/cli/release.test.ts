import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseImageSet, readBundle } from '#release';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let builder: TestWorkspace;
let reader: TestWorkspace;
let place: string;
let key: string;

const signed = (...args: readonly string[]) => test.run(builder, ...args, '--key', key);
const create = (version: string) => signed('release', 'create', version, '--to', place);
const read = (...args: readonly string[]) => test.run(reader, 'release', ...args, '--from', place);

beforeAll(async () => {
  test = await publishingTest();
  [builder, reader] = [await test.workspace(), await test.workspace()];
  place = `${test.registry.address}/ccp`;
  key = join(test.folder, 'release.key');
  expect(await test.run(builder, 'keygen', key)).toMatchObject({ exitCode: 0 });
  for (const workspace of [builder, reader]) {
    workspace.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
    workspace.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  }
  await test.build(builder);
});
afterAll(() => test.close());

it('creates, compares, promotes, verifies and bundles releases', async () => {
  expect(await create('2026.1.1')).toMatchObject({
    exitCode: 6,
    stderr:
      'ccp: 2026.1.1 is not the next version\n  -> the next release is 2026.1.0, its candidates are 2026.1.0-rc.1 and so on',
  });
  for (const version of ['2026.1.0-rc.1', '2026.1.0'])
    expect(await create(version)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        new RegExp(`^${version} is .*/ccp/ccp\\.sets@sha256:[0-9a-f]{64} \\(1 image\\)$`),
      ),
    });
  expect((await create('2026.1.0')).stdout).toContain('2026.1.0 was already ');
  expect((await read('verify', '2026.1.0')).stdout).toMatch(
    /^2026\.1\.0 is signed by .*release\.pub and complete: 1 image of 2026\.1, 9 blobs \(sha256:/,
  );
  const deep = JSON.parse((await read('verify', '2026.1.0', '--deep', '--json')).stdout) as {
    readonly bytes: number;
  };
  expect(deep).toMatchObject({ images: 1, manifests: 6, blobs: 9 });
  expect(deep.bytes).toBeGreaterThan(0);

  builder.write('images/base/files/a', 'other\n');
  await test.build(builder);
  expect(await create('2026.1.0')).toMatchObject({
    exitCode: 6,
    stderr: expect.stringMatching(
      /ccp\.sets:2026\.1\.0 is sha256:[0-9a-f]{64}; a released name never moves\n/,
    ),
  });
  expect(await create('2026.1.1')).toMatchObject({ exitCode: 0 });
  expect((await read('diff', '2026.1.0', '2026.1.1')).stdout).toMatch(/^base changed/);
  expect((await read('diff', '2026.1.0-rc.1', '2026.1.0')).stdout).toBe('no differences');

  const promote = (version: string, alias = 'stable') =>
    signed('release', 'promote', version, '--to', alias, '--from', place);
  expect((await promote('2026.1.0')).stdout).toBe('stable -> 2026.1.0 (move 1)');
  expect((await promote('2026.1.1')).stdout).toBe('stable -> 2026.1.1, from 2026.1.0 (move 2)');
  expect(await promote('2026.1.1', '2025.2')).toMatchObject({
    exitCode: 6,
    stderr:
      'ccp: 2026.1.1 is not a version of series 2025.2\n  -> promote a version of 2025.2; list them with `ccp release list`',
  });
  expect((await signed('release', 'rollback', 'stable', '--from', place)).stdout).toBe(
    'stable -> 2026.1.0, from 2026.1.1 (move 3)',
  );
  expect((await read('list')).stdout).toMatch(
    /^2026\.1\.0-rc\.1 verified \(\S+release\.pub\)\n2026\.1\.0 verified .*\n2026\.1\.1 verified .*\nstable -> 2026\.1\.0 verified \(\S+release\.pub\), moved by \S+ from 2026\.1\.1, sha256:[0-9a-f]{64}$/,
  );
  expect((await read('verify', 'stable')).stdout).toMatch(/^stable \(2026\.1\.0\) is signed by /);

  const file = join(test.folder, 'set.json');
  expect(await read('show', 'stable', '-o', file)).toMatchObject({ exitCode: 0 });
  expect(parseImageSet(readFileSync(file, 'utf8'), file).images).toHaveLength(1);

  const archive = join(test.folder, 'bundle.tar');
  expect(await read('bundle', 'stable', '-o', archive)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('every digest was checked'),
  });
  const bytes = readFileSync(archive);
  expect((await readBundle(archive)).names).toContain('ccp.sets:2026.1.0');
  expect(await read('bundle', '2026.1.0', '-o', archive)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(archive).equals(bytes)).toBe(true);
  const at = bytes.indexOf('image.layer');
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(archive, bytes);
  await expect(readBundle(archive)).rejects.toMatchObject({
    code: 'bundle-invalid',
    message: expect.stringMatching(/is not a bundle: blob sha256:[0-9a-f]{64} has other bytes$/),
  });
});

it('mirrors a release to another path', async () => {
  const mirror = () => read('mirror', 'stable', '--to', `${test.registry.address}/mirror`);
  expect((await mirror()).stdout).toMatch(
    /^2026\.1\.0 is .*\/mirror\/ccp\.sets@sha256:[0-9a-f]{64} \(\d+ new manifests, \d+ kB copied\)$/,
  );
  expect((await mirror()).stdout).toMatch(/ \(0 new manifests, 0 kB copied\)$/);
  const from = ['--from', `${test.registry.address}/mirror`];
  expect(await test.run(reader, 'release', 'verify', '2026.1.0', ...from)).toMatchObject({
    exitCode: 0,
  });
});

it('refuses a version that an attacker moved to another signed set', async () => {
  const { registry } = test;
  const [old] = [await read('show', '2026.1.0', '--json')];
  const { digest } = JSON.parse(old.stdout) as { readonly digest: string };
  registry.fault = (request, response) => {
    if (!request.url?.endsWith('/manifests/2026.1.1')) return undefined;
    return response.writeHead(307, { Location: `/v2/ccp/ccp.sets/manifests/${digest}` }).end();
  };
  const refused = {
    exitCode: 6,
    stderr: expect.stringContaining(
      'ccp.sets:2026.1.1 is not trusted: its statement has another predicate\n',
    ) as unknown,
  };
  expect(await read('verify', '2026.1.1')).toMatchObject(refused);
  expect(await test.run(reader, 'verify', '2026.1.1', '--from', place)).toMatchObject(refused);
  registry.fault = () => undefined;
});

it('refuses to release a set that lacks images of its series', async () => {
  builder.write(
    'images/other/image.yaml',
    'title: Other\ndescription: An image.\nroot: the base of the test\nparents:\n  base: base\n',
  );
  builder.write('images/other/Dockerfile.njk', 'FROM {{ parents.base }}\n');
  expect(await create('2026.1.2')).toEqual({
    exitCode: 6,
    stdout: '',
    stderr:
      'ccp: the image set of 2026.1 lacks other\n  -> build all images of the series: ccp build --series 2026.1',
  });
  rmSync(join(builder.root, 'images/other'), { recursive: true });
});

it('refuses to publish a set that was not built here', async () => {
  const path = join(builder.root, '.ccp/sets/2026.1.json');
  const set = readFileSync(path, 'utf8');
  const file = join(test.folder, 'changed.json');
  const { images } = parseImageSet(set, path);
  writeFileSync(file, set.replaceAll(images[0]!.digest, `sha256:${'0'.repeat(64)}`));
  const refused = {
    exitCode: 2,
    stdout: '',
    stderr:
      'ccp: the image set of 2026.1 does not match the store of this workspace: base\n  -> build the images here: ccp build --series 2026.1',
  };
  expect(await signed('publish', file, '--to', place)).toEqual(refused);
  expect(await signed('release', 'create', '2026.1.2', file, '--to', place)).toEqual(refused);
});

it('asks for a set file if no set was built', async () => {
  expect(await test.run(reader, 'publish', '--to', place)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      / -> run `ccp build --series 2026\.1`, or name an image set file$/,
    ),
  });
});

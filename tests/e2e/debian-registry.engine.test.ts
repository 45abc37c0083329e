import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hexOf, type Digest } from '#core';
import { parseImageSet, promoteRelease, signerOf } from '#release';
import { connectRegistry } from '#store';
import { startDebianRegistry, type DebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let debian: DebianRegistry;
let builder: TestWorkspace;
let place: string;
let key: string;

const run = (...args: readonly string[]) => test.run(builder, ...args);
const read = (...args: readonly string[]) =>
  run('release', ...args, '--from', place, '--trust', `${key}.pub`);
const promote = (version: string) =>
  run('release', 'promote', version, '--to', 'stable', '--from', place, '--key', key);
const create = (version: string) => run('release', 'create', version, '--to', place, '--key', key);

beforeAll(async () => {
  test = await publishingTest();
  debian = await startDebianRegistry(join(test.folder, 'debian'));
  builder = await test.workspace();
  place = `${debian.address}/ccp`;
  key = join(test.folder, 'release.key');
  expect(await run('keygen', key)).toMatchObject({ exitCode: 0 });
  await test.build(builder);
});
afterAll(async () => {
  await debian.close();
  await test.close();
});

it('publishes, verifies and promotes in a registry without a referrers API', async () => {
  const publish = () => run('publish', '--to', place, '--key', key);
  expect(await publish()).toMatchObject({ exitCode: 0 });
  expect((await publish()).stdout).toContain('1 image of 2026.1 published, 0 new (0 kB uploaded)');
  expect((await create('2026.1.0')).stdout).toMatch(/^2026\.1\.0 is /);
  builder.write('images/base/files/a', 'other\n');
  await test.build(builder);
  expect((await create('2026.1.1')).stdout).toMatch(/^2026\.1\.1 is /);
  expect((await promote('2026.1.0')).stdout).toBe('stable -> 2026.1.0 (move 1)');
  expect((await promote('2026.1.1')).stdout).toBe('stable -> 2026.1.1, from 2026.1.0 (move 2)');
  expect((await read('list')).stdout).toMatch(
    /^2026\.1\.0 verified .*\n2026\.1\.1 verified .*\nstable -> 2026\.1\.1 verified .* from 2026\.1\.0, sha256:[0-9a-f]{64}$/,
  );
  expect((await read('verify', 'stable', '--deep')).stdout).toMatch(
    /^stable \(2026\.1\.1\) is signed by .* and complete: 1 image of 2026\.1, 9 blobs, /,
  );
  expect(await read('bundle', 'stable', '-o', join(test.folder, 'bundle.tar'))).toMatchObject({
    exitCode: 0,
  });
});

it('loses no move of an alias that several runs move', async () => {
  const registry = await connectRegistry({ host: debian.address });
  const signer = signerOf(readFileSync(key, 'utf8'), key, undefined);
  const runs = await Promise.allSettled(
    [1, 2, 3, 4].map((run) =>
      promoteRelease({
        place: { registry, prefix: 'ccp' },
        alias: 'raced',
        version: `2026.1.${run % 2}`,
        by: `run-${run}@host`,
        signer,
        keys: [signer.key],
      }),
    ),
  );
  const moved = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
  const failed = runs.flatMap((run) => (run.status === 'rejected' ? [run.reason as unknown] : []));
  expect(moved.length).toBeGreaterThan(0);
  for (const error of failed) expect(error).toMatchObject({ code: 'alias-moved' });
  const last = moved.reduce((a, b) => (a.number > b.number ? a : b));
  expect((await read('list')).stdout).toContain(
    `raced -> ${last.to.version} verified (${key}.pub), moved by ${last.by}`,
  );
});

it('names a layer that the registry lost, and uploads it again', async () => {
  const set = join(builder.root, '.ccp/sets/2026.1.json');
  const [image] = parseImageSet(readFileSync(set, 'utf8'), set).images;
  const manifest = JSON.parse(
    await (
      await fetch(`http://${debian.address}/v2/ccp/base/manifests/${image!.digest}`, {
        headers: { Accept: 'application/vnd.oci.image.manifest.v1+json' },
      })
    ).text(),
  ) as { readonly layers: readonly { readonly digest: Digest }[] };
  const { digest } = manifest.layers[0]!;
  const hex = hexOf(digest);
  rmSync(join(debian.blobs, 'sha256', hex.slice(0, 2), hex), { recursive: true });
  expect(await read('verify', '2026.1.1')).toMatchObject({
    exitCode: 6,
    stderr: `ccp: image base in ${place}/base: layer ${digest} is missing\n  -> publish the set again: ccp publish`,
  });
  expect((await run('publish', '--to', place, '--key', key)).stdout).toContain(
    '\nthe registry had lost content of base; it was uploaded again\n',
  );
  expect(await read('verify', '2026.1.1', '--deep')).toMatchObject({ exitCode: 0 });
});

it.skipIf(process.getuid?.() !== 0)(
  'names a full disk of the registry at once, and goes on after it is free (mounts a small disk)',
  async () => {
    const folder = join(test.folder, 'full');
    const data = join(folder, 'data');
    mkdirSync(data, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', data]);
    const full = await startDebianRegistry(folder);
    const publish = () => run('publish', '--to', `${full.address}/ccp`, '--key', key);
    try {
      const filler = join(data, 'filler');
      writeFileSync(filler, '');
      execFileSync('sh', ['-c', `cat /dev/zero > '${filler}' 2> /dev/null || true`]);
      const start = performance.now();
      const { exitCode, stderr } = await publish();
      expect(exitCode).toBe(6);
      expect(stderr).toMatch(
        /cannot store blob sha256:\w{64} in ccp\/base: its disk or quota is full \(status 500, .*\)\n {2}-> free space in the registry/,
      );
      expect(performance.now() - start).toBeLessThan(20_000);
      rmSync(filler);
      expect(await publish()).toMatchObject({ exitCode: 0 });
    } finally {
      await full.close();
      execFileSync('umount', [data]);
    }
  },
);

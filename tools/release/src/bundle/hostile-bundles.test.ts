import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterAll, expect, it } from 'vitest';
import { CcpError, digestOf, hexOf } from '#core';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS, mutated, withChecksums } from '../../../../tests/helpers/fuzz.ts';
import { readBundle } from './read-bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-bundles-'));
const file = join(folder, 'bundle.tar');
afterAll(() => rmSync(folder, { recursive: true }));

const BLOB = '{"schemaVersion":2}';
const digest = digestOf(BLOB);
const NAME = 'org.opencontainers.image.ref.name';

async function bundle(names: readonly string[]): Promise<Buffer> {
  const tar = pack();
  const manifests = names.map((name) => ({ digest, annotations: { [NAME]: name } }));
  tar.entry({ name: 'blobs', type: 'directory' });
  tar.entry({ name: `blobs/sha256/${hexOf(digest)}` }, BLOB);
  tar.entry({ name: 'index.json' }, JSON.stringify({ manifests }));
  tar.finalize();
  return Buffer.concat((await Array.fromAsync(tar)) as Buffer[]);
}

const read = (bytes: Buffer) => {
  writeFileSync(file, bytes);
  return readBundle(file);
};

it('reads 100,000 names in linear time', async () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `name:${index}`);
  const bytes = await bundle(names);
  const started = cpuMs();
  expect((await read(bytes)).names).toEqual(names);
  expect(cpuMs() - started).toBeLessThan(5000);
});

it('refuses a name that its index has twice', async () => {
  await expect(read(await bundle(['a:1', 'b:1', 'a:1']))).rejects.toThrow(
    'its index names a:1 twice',
  );
});

it('reads an archive whose folder has a size', async () => {
  const bytes = await bundle(['a:1']);
  bytes.write('00000000004', 124, 'latin1');
  expect((await read(withChecksums(bytes))).names).toEqual(['a:1']);
});

it(
  'reads or refuses a damaged archive',
  async () => {
    const good = await bundle(['a:1']);
    await fuzz(150, async (random) => {
      const damaged = mutated(random, good);
      const result = await read(random.chance(0.7) ? withChecksums(damaged) : damaged).catch(
        (thrown: unknown) => thrown,
      );
      if (result instanceof Error) expect(result).toBeInstanceOf(CcpError);
    });
  },
  FUZZ_TIMEOUT_MS,
);

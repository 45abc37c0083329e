import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, type Fingerprint } from '#core';
import type { ImageStore } from '#ports';
import { openStore, readStoreIndex, serveStore } from './index.ts';
import { connectRegistry } from './client/connect-registry.ts';
import { fixtureTar } from './testing/fixture-tar.ts';
import { pushTestImage, testIdentity } from './testing/push-image.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-store-'));
const baseTar = fixtureTar([
  { name: 'etc', type: 'directory' },
  { name: 'etc/base', type: 'file', content: 'base', mtime: 1_900_000_000 },
]);
const emptyTar = Buffer.alloc(1024);
let folder = '';
let store: ImageStore;
afterAll(() => rmSync(root, { recursive: true }));

it('reports a folder in which this user cannot write', async () => {
  const refused = expect.objectContaining({
    code: 'machine-rights',
    message: expect.stringMatching(/^cannot write \/sys\/ccp: /),
    hint: 'give this user write permission there, or work in a separate clone',
  });
  await expect(openStore({ folder: '/sys/ccp' })).rejects.toThrow(refused);
});

describe('an open store', () => {
  beforeAll(async () => {
    folder = join(root, 'store');
    store = await openStore({ folder });
    return () => store.close();
  });

  it('seals the same push to the same digest, and names it only when it is published', async () => {
    const identity = testIdentity('base');
    const config = {
      Env: ['A=1'],
      Cmd: ['run'],
      Labels: { own: 'yes' },
      Hostname: 'x',
      Healthcheck: {},
      ExposedPorts: { '80/tcp': {} },
    };
    const { sent, digest } = await pushTestImage(store, identity, [baseTar, emptyTar], { config });
    expect(sent).toBe(2);
    const sealed = await store.seal(identity, digest);
    expect(await store.seal(identity, digest)).toEqual(sealed);
    expect(store.byFingerprint(identity.fingerprint)).toBeUndefined();
    await store.publish(sealed);
    expect(store.byFingerprint(identity.fingerprint)).toEqual(sealed);
    expect(readStoreIndex(folder).byContentKey.get('key of base ')).toEqual(sealed);
    const { config: stored } = await store.inspect(sealed.digest);
    expect(stored).toEqual({
      architecture: 'amd64',
      os: 'linux',
      created: '2026-01-01T00:00:00Z',
      config: {
        Env: ['A=1'],
        Cmd: ['run'],
        ExposedPorts: { '80/tcp': {} },
        Labels: { own: 'yes', 'org.opencontainers.image.title': 'base' },
      },
      rootfs: { type: 'layers', diff_ids: [expect.stringMatching(/^sha256:/)] },
      history: [{ created: '2026-01-01T00:00:00Z', created_by: 'ccp build base' }],
    });
  });

  it('does not need a layer to be pushed again, even in a later run', async () => {
    const [known] = store.list();
    await store.close();
    store = await openStore({ folder });
    const identity = testIdentity('base', 'again');
    const { sent, digest } = await pushTestImage(store, identity, [baseTar]);
    expect(sent).toBe(0);
    expect((await store.seal(identity, digest)).size).toBe(known?.size);
  });

  it('names images that are published together, even if one of them fails', async () => {
    const base = store.byFingerprint(testIdentity('base').fingerprint)!;
    const named = (name: string) => ({ ...base, ...testIdentity(name) });
    const lost = { ...named('lost'), digest: digestOf('nowhere') };
    const results = await Promise.allSettled(
      [named('one'), lost, named('two'), named('three'), named('one')].map((image) =>
        store.publish(image),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    for (const images of [store.list(), readStoreIndex(folder).images])
      expect(
        images
          .map(({ image }) => image)
          .filter((image) => ['one', 'two', 'three', 'lost'].includes(image))
          .sort(),
      ).toEqual(['one', 'three', 'two']);
    await store.collect(
      new Set(
        store
          .list()
          .flatMap(({ image, fingerprint }) =>
            ['base', 'child'].includes(image) ? [fingerprint] : [],
          ),
      ),
    );
  });

  it('is served read-only at the same time', async () => {
    const served = await serveStore({ folder });
    const registry = connectRegistry({ host: served.address });
    const { fingerprint, digest } = store.byFingerprint(testIdentity('base').fingerprint)!;
    const byTag = await registry.readManifest('base', `2026.1-${fingerprint.slice(0, 32)}`);
    expect(digestOf(byTag?.bytes ?? '')).toBe(digest);
    expect(await registry.readManifest('base', 'latest')).toBeUndefined();
    await expect(
      registry.writeManifest('base', 'x', 'application/json', Buffer.from('{}')),
    ).rejects.toThrow('UNSUPPORTED: this registry is read-only');
    await served.close();
  });

  it('reports the process that has locked it', async () => {
    await expect(openStore({ folder })).rejects.toThrow(
      `the image store is in use by process ${process.pid} (${join(folder, 'lock')})`,
    );
  });

  it('aliases images, and collects images that no kept fingerprint names', async () => {
    const base = store.byFingerprint(testIdentity('base').fingerprint)!;
    const alias = await store.alias(
      { fingerprint: testIdentity('base', 'alias').fingerprint, contentKey: 'other' },
      base,
    );
    const before = readdirSync(join(folder, 'blobs/sha256'));
    await store.close();
    store = await openStore({ folder });
    expect(await store.collect(new Set<Fingerprint>([alias.fingerprint]))).toBeGreaterThan(100);
    expect(store.list()).toEqual([alias]);
    expect(before.length).toBeGreaterThan(readdirSync(join(folder, 'blobs/sha256')).length);
    await store.verify(alias.digest);
  });

  it('reports the damaged blob', async () => {
    const [image] = store.list();
    const { manifest } = (await store.inspect(image!.digest)) as unknown as {
      manifest: { layers: { digest: string }[] };
    };
    const layer = manifest.layers[0]!.digest;
    const file = join(folder, 'blobs/sha256', layer.slice(7));
    truncateSync(file, statSync(file).size - 1);
    await expect(store.verify(image!.digest)).rejects.toThrow(
      `the image store is damaged: blob ${layer} does not match its digest`,
    );
    rmSync(file);
    await expect(store.verify(image!.digest)).rejects.toThrow(
      `the image store is damaged: blob ${layer} is missing`,
    );
  });
});

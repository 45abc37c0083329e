import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestFromHex, digestOf, type Fingerprint, type Sha256 } from '#core';
import type { ImageStore } from '#ports';
import { deadAddresses, forgetAddresses, noteAddress, openStore, readStoreIndex, serveStore } from './index.ts';
import { connectRegistry } from './client/connect-registry.ts';
import { fixtureTar } from './testing/fixture-tar.ts';
import { pushImage, testIdentity } from './testing/push-image.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-store-'));
const baseTar = fixtureTar([
  { name: 'etc', type: 'directory' },
  { name: 'etc/base', type: 'file', content: 'base', mtime: 1_900_000_000 },
]);
const childTar = fixtureTar([{ name: 'opt', type: 'file', content: 'child' }]);
const oddTar = fixtureTar([{ name: 'odd', type: 'file' }]);
const emptyTar = Buffer.alloc(1024);
let folder = '';
let store: ImageStore;
afterAll(() => rmSync(root, { recursive: true }));

it('is told where this user may not write, which nobody may there', async () => {
  const refused = expect.objectContaining({
    code: 'machine-rights',
    message: expect.stringMatching(/^cannot write \/sys\/ccp: /),
    hint: 'give this user the right to write there, or work in a clone of its own',
  });
  await expect(openStore({ folder: '/sys/ccp' })).rejects.toThrow(refused);
});

describe('an open store', () => {
  beforeAll(async () => {
    folder = join(root, 'store');
    store = await openStore({ folder });
    return () => store.close();
  });

  it('seals the same push to the same digest and names it only when it is published', async () => {
    const identity = testIdentity('base');
    const config = { Env: ['A=1'], Cmd: ['run'], Labels: { own: 'yes' }, Hostname: 'x', Healthcheck: {}, ExposedPorts: { '80/tcp': {} } };
    expect(await pushImage(store, identity, [baseTar, emptyTar], { config })).toBe(2);
    const sealed = await store.seal(identity);
    expect(await store.seal(identity)).toEqual(sealed);
    expect(store.byFingerprint(identity.fingerprint)).toBeUndefined();
    await store.publish(sealed);
    expect(store.byFingerprint(identity.fingerprint)).toEqual(sealed);
    expect(readStoreIndex(folder).byContentKey.get('key of base ')).toEqual(sealed);
    const { config: stored } = await store.inspect(sealed.digest);
    expect(stored).toEqual({
      architecture: 'amd64',
      os: 'linux',
      created: '2026-01-01T00:00:00Z',
      config: { Env: ['A=1'], Cmd: ['run'], ExposedPorts: { '80/tcp': {} }, Labels: { own: 'yes', 'org.opencontainers.image.title': 'base' } },
      rootfs: { type: 'layers', diff_ids: [expect.stringMatching(/^sha256:/)] },
      history: [{ created: '2026-01-01T00:00:00Z', created_by: 'ccp build base' }],
    });
  });

  it('asks for no layer twice, also not in a later run', async () => {
    const [known] = store.list();
    await store.close();
    store = await openStore({ folder });
    const identity = testIdentity('base', 'again');
    expect(await pushImage(store, identity, [baseTar])).toBe(0);
    expect((await store.seal(identity)).size).toBe(known?.size);
  });

  it('grafts a child on its base, without the labels that describe the base', async () => {
    const base = store.byFingerprint(testIdentity('base').fingerprint);
    const identity = { ...testIdentity('child', '', base?.digest), labels: {} };
    await pushImage(store, identity, [baseTar, childTar], { config: { Labels: { own: 'yes', 'org.opencontainers.image.title': 'base' } } });
    const child = await store.seal(identity);
    await store.publish(child);
    const [parent, image] = [await store.inspect(base!.digest), await store.inspect(child.digest)] as unknown as { manifest: { layers: unknown[] } }[];
    expect(image?.manifest.layers).toEqual([...(parent?.manifest.layers ?? []), expect.anything()]);
    expect(image).toMatchObject({
      config: { config: { Labels: { own: 'yes' } }, history: [{ created_by: 'ccp build base' }, { created_by: 'ccp build child' }] },
    });
    await pushImage(store, identity, [childTar]);
    await expect(store.seal(identity)).rejects.toThrow(`the pushed image of child does not stand on its base ${base?.digest}`);
  });

  it('names images that come together, and one that cannot be named costs the others nothing', async () => {
    const base = store.byFingerprint(testIdentity('base').fingerprint)!;
    const named = (name: string) => ({ ...base, ...testIdentity(name) });
    const lost = { ...named('lost'), digest: digestOf('nowhere') };
    const results = await Promise.allSettled([named('one'), lost, named('two'), named('three'), named('one')].map((image) => store.publish(image)));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled']);
    for (const images of [store.list(), readStoreIndex(folder).images])
      expect(
        images
          .map(({ image }) => image)
          .filter((image) => ['one', 'two', 'three', 'lost'].includes(image))
          .sort(),
      ).toEqual(['one', 'three', 'two']);
    await store.collect(new Set(store.list().flatMap(({ image, fingerprint }) => (['base', 'child'].includes(image) ? [fingerprint] : []))));
  });

  it.each([
    ['a diff id that is not its layer’s', { diffIds: [digestOf('x')] }, `unpacks to ${digestOf(oddTar)}, but the pushed image says ${digestOf('x')}`],
    ['another platform', { architecture: 'arm64' }, 'the pushed image of odd cannot be understood: it is for linux/arm64, not linux/amd64'],
    ['a missing diff id', { diffIds: [] }, 'the pushed image of odd cannot be understood: it has 1 layers but 0 diff ids'],
    ['settings of a wrong type', { config: { Env: 'A=1' } }, 'the pushed image of odd cannot be understood: Env is not a list'],
  ])('refuses a push with %s', async (_, pushed, message) => {
    const identity = testIdentity('odd');
    await pushImage(store, identity, [oddTar], pushed);
    await expect(store.seal(identity)).rejects.toThrow(message);
  });

  it('is served for pulls beside the run, and takes no push there', async () => {
    const served = await serveStore({ folder });
    const registry = connectRegistry({ host: served.address });
    const { fingerprint, digest } = store.byFingerprint(testIdentity('base').fingerprint)!;
    const byTag = await registry.readManifest('base', `2026.1-${fingerprint.slice(0, 32)}`);
    expect(digestOf(byTag?.bytes ?? '')).toBe(digest);
    expect(await registry.readManifest('base', 'latest')).toBeUndefined();
    await expect(registry.writeManifest('base', 'x', 'application/json', Buffer.from('{}'))).rejects.toThrow('UNSUPPORTED: this registry serves pulls alone');
    await served.close();
  });

  it('ends a seal that is cancelled', async () => {
    const identity = testIdentity('cancelled');
    await pushImage(store, identity, [fixtureTar([{ name: 'cancelled', type: 'file' }])]);
    await expect(store.seal(identity, AbortSignal.abort())).rejects.toThrow('normalising a layer was cancelled');
    await expect(store.seal(testIdentity('absent'))).rejects.toThrow('nothing was pushed for absent');
    await expect(store.seal(identity)).resolves.toMatchObject({ image: 'cancelled' });
  });

  it('says who holds it', async () => {
    await expect(openStore({ folder })).rejects.toThrow(`the image store is in use by process ${process.pid} (${join(folder, 'lock')})`);
  });

  it('aliases, and collects what no fingerprint keeps', async () => {
    const base = store.byFingerprint(testIdentity('base').fingerprint)!;
    const alias = await store.alias({ fingerprint: testIdentity('base', 'alias').fingerprint, contentKey: 'other' }, base);
    const before = readdirSync(join(folder, 'blobs/sha256'));
    await store.close();
    store = await openStore({ folder });
    expect(await store.collect(new Set<Fingerprint>([alias.fingerprint]))).toBeGreaterThan(100);
    expect(store.list()).toEqual([alias]);
    expect(before.length).toBeGreaterThan(readdirSync(join(folder, 'blobs/sha256')).length);
    await store.verify(alias.digest);
  });

  it('names the blob that is damaged', async () => {
    const [image] = store.list();
    const { manifest } = (await store.inspect(image!.digest)) as unknown as { manifest: { layers: { digest: string }[] } };
    const layer = manifest.layers[0]!.digest;
    const file = join(folder, 'blobs/sha256', layer.slice(7));
    truncateSync(file, statSync(file).size - 1);
    await expect(store.verify(image!.digest)).rejects.toThrow(`the image store is damaged: blob ${layer} has other content than its name says`);
    rmSync(file);
    await expect(store.verify(image!.digest)).rejects.toThrow(`the image store is damaged: blob ${layer} is missing`);
  });
});

describe('a store whose process dies', () => {
  const script = new URL('./testing/keep-storing.ts', import.meta.url).pathname;

  it('holds no half result and is taken over', async () => {
    const killed = join(root, 'killed');
    for (const delay of [0, 11, 23]) {
      const child = spawn(process.execPath, [script, killed], { stdio: ['ignore', 'pipe', 'inherit'] });
      for (let lines = 0; lines < 3; lines += 1) await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(existsSync(join(killed, 'lock'))).toBe(true);
      for (const name of readdirSync(join(killed, 'blobs/sha256'))) {
        expect(digestOf(readFileSync(join(killed, 'blobs/sha256', name)))).toBe(digestFromHex(name as Sha256));
      }
      expect(() => readStoreIndex(killed)).not.toThrow();
    }
    const after = await openStore({ folder: killed });
    expect(after.list().length).toBeGreaterThan(0);
    for (const image of after.list()) await after.verify(image.digest);
    await after.close();
  });

  it.each([
    ['a push', 'random', 'status 403 (DENIED: no space left for the image store at', 'store-full'],
    ['a layer', 'regular', 'no space left for the image store at', undefined],
  ])('says that the disk is full while it takes %s, and names nothing', async (_, content, message, refused) => {
    const full = join(root, content);
    const output = await new Promise<string>((resolve) => {
      const limited = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
      execFile('sh', ['-c', limited, process.execPath, script, full, content], (_error, stdout) => resolve(stdout));
    });
    expect(output).toContain(message);
    expect(output).toContain('EFBIG');
    expect(output).toContain(`refused: ${refused}\n`);
    expect(readStoreIndex(full).images).toEqual([]);
    expect(readdirSync(join(full, 'blobs/sha256'))).toEqual([]);
  });
});

it('refuses an index that is none', () => {
  writeFileSync(join(root, 'index.json'), '{"manifests":[{}]}');
  expect(() => readStoreIndex(root)).toThrow(`${join(root, 'index.json')} is not the index of an image layout: a manifest has no digest`);
  writeFileSync(join(root, 'index.json'), 'no\nJSON');
  expect(() => readStoreIndex(root)).toThrow(/is not the index of an image layout: it is not JSON \([^\n]*no\\nJSON[^\n]*\)$/);
  expect(readStoreIndex(join(root, 'nowhere')).images).toEqual([]);
});

describe('the port of a store', () => {
  it('is that of the run before, and those that were taken meanwhile are dead once nobody serves them', async () => {
    const own = join(root, 'ports');
    const addressOf = async (): Promise<string> => {
      const opened = await openStore({ folder: own });
      await opened.close();
      return opened.address;
    };
    const first = await addressOf();
    expect(await addressOf()).toBe(first);
    const taken = createServer().listen(Number(first.split(':')[1]), '127.0.0.1');
    await once(taken, 'listening');
    const second = await addressOf();
    expect([second === first, await deadAddresses(own)]).toEqual([false, [second]]);
    await new Promise((resolve) => taken.close(resolve));
    expect(await deadAddresses(own)).toEqual([second, first]);
    noteAddress(own, '127.0.0.1:1025');
    expect(await deadAddresses(own)).toEqual([second, '127.0.0.1:1025', first]);
    forgetAddresses(own, ['127.0.0.1:1025', first]);
    expect(await deadAddresses(own)).toEqual([second]);
  });

  it('is not forgotten by readers that come and go at the same time', async () => {
    const folder = join(root, 'read');
    const noted = ['1025', '1026', '1027', '1028'];
    const source = JSON.stringify(fileURLToPath(new URL('./layout/store-ports.ts', import.meta.url)));
    const come = (port: string): string =>
      `import { forgetAddresses, noteAddress } from ${source};
      for (let turn = 0; turn < 200; turn += 1) { noteAddress(${JSON.stringify(folder)}, ':${port}'); forgetAddresses(${JSON.stringify(folder)}, [':${port}']); }
      noteAddress(${JSON.stringify(folder)}, ':${port}');`;
    await Promise.all(noted.map((port) => promisify(execFile)(process.execPath, ['--input-type=module', '-e', come(port)])));
    expect((await deadAddresses(folder)).map((address) => address.split(':')[1]).sort()).toEqual(noted);
  });
});

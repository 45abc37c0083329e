import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore, Registry } from '#ports';
import { openStore } from '../index.ts';
import { faultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts';
import { connectRegistry } from './connect-registry.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-registry-'));
const TYPE = 'application/vnd.oci.image.manifest.v1+json';
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const blob = Buffer.from('some bytes of a blob');
const digest = digestOf(blob);
let store: ImageStore;
let proxy: FaultyProxy;
let registry: Registry;

beforeAll(async () => {
  store = await openStore({ folder: join(root, 'store') });
  proxy = await faultyProxy(store);
  return async () => {
    await proxy.close();
    await store.close();
  };
});
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  proxy.fault = () => undefined;
  proxy.strip = '';
  proxy.seen.length = 0;
  registry = connectRegistry({
    host: proxy.address,
    chunkSize: 7,
    sleep: async () => undefined,
  });
});

const write = (repository: string): Promise<void> =>
  registry.writeBlob(repository, digest, blob.length, async function* () {
    yield blob.subarray(0, 3);
    yield blob.subarray(3);
  });
const read = async (repository: string, bytes = blob): Promise<string> => {
  const chunks: Uint8Array[] = [];
  const wanted = { mediaType: LAYER, digest: digestOf(bytes), size: bytes.length };
  for await (const chunk of await registry.readBlob(repository, wanted)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const manifestOf = (extra: object = {}): Buffer =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: TYPE,
      config: { mediaType: 'x/config', digest, size: blob.length },
      layers: [],
      ...extra,
    }),
  );

describe('connectRegistry, interrupted', () => {
  it('continues an upload after the bytes that the registry has', async () => {
    let patches = 0;
    proxy.fault = (request, response) => {
      if (request.method !== 'PATCH') return undefined;
      patches += 1;
      return patches === 2 ? response.writeHead(500).end() : undefined;
    };
    const other = Buffer.from('21 bytes of other blob');
    await registry.writeBlob('a/b', digestOf(other), other.length, async function* () {
      yield other;
    });
    expect(await read('a/b', other)).toBe(other.toString());
    const lines = proxy.seen.map((line) => line.split(' ')[0]);
    // The second chunk was sent twice; the upload was not started again.
    expect(lines.filter((method) => method === 'POST')).toHaveLength(1);
    expect(lines.filter((method) => method === 'PATCH')).toHaveLength(
      1 + Math.ceil(other.length / 7),
    );
  });

  it('gets a new token when one expires in the middle', async () => {
    let tokens = 0;
    let expired = 0;
    proxy.fault = (request, response) => {
      if (request.url?.startsWith('/token')) return response.end(`{"token":"t${++tokens}"}`);
      // All tokens expire before the second chunk.
      const chunks = proxy.seen.filter((line) => line.startsWith('PATCH')).length;
      if (chunks === 2 && expired === 0) expired = tokens;
      const token = Number(/^Bearer t(\d+)$/.exec(request.headers.authorization ?? '')?.[1] ?? 0);
      if (token > expired) return undefined;
      return response
        .writeHead(401, { 'WWW-Authenticate': `Bearer realm="http://${proxy.address}/token"` })
        .end();
    };
    const other = Buffer.from('more bytes than one chunk');
    await registry.writeBlob('a/b', digestOf(other), other.length, async function* () {
      yield other;
    });
    proxy.fault = () => undefined;
    expect(await read('a/b', other)).toBe(other.toString());
    expect([expired > 0, tokens > expired]).toEqual([true, true]);
  });

  it('sends a manifest again that the registry read while another client wrote it', async () => {
    const refusal = JSON.stringify({ errors: [{ code: 'DIGEST_INVALID', message: 'not it' }] });
    const manifest = manifestOf();
    await write('a/b');
    let puts = 0;
    proxy.fault = (request, response) => {
      if (request.method !== 'PUT' || !request.url?.includes('/manifests/')) return undefined;
      puts += 1;
      return puts < 3 ? response.writeHead(400).end(refusal) : undefined;
    };
    expect(await registry.writeManifest('a/b', 'one', TYPE, manifest)).toBe(digestOf(manifest));
    proxy.fault = (_, response) => response.writeHead(400).end(refusal);
    await expect(registry.writeManifest('a/b', 'one', TYPE, manifest)).rejects.toMatchObject({
      code: 'registry-failed',
      message: `${proxy.address} refused to store manifest one in a/b: status 400 (DIGEST_INVALID: not it)`,
    });
  });

  it('keeps a referrer that another writer removes from the fallback tag', async () => {
    const subject = digestOf('of a race');
    const artifact = manifestOf({
      subject: { mediaType: TYPE, digest: subject, size: 1 },
      artifactType: 'x/mine',
      annotations: { note: 'kept' },
    });
    await write('a/b');
    proxy.strip = 'oci-subject';
    let reads = 0;
    const index = JSON.stringify({ schemaVersion: 2, manifests: [] });
    proxy.fault = (request, response) => {
      if (request.url?.includes('/referrers/')) return response.writeHead(404).end();
      if (request.method !== 'GET' || !request.url?.includes('manifests/sha256-')) return undefined;
      reads += 1;
      // The read after the first write finds the index of another writer.
      return reads === 2 ? response.writeHead(200).end(index) : undefined;
    };
    await registry.writeManifest('a/b', digestOf(artifact), TYPE, artifact);
    expect(await registry.referrers('a/b', subject)).toEqual([
      {
        mediaType: TYPE,
        digest: digestOf(artifact),
        size: artifact.length,
        artifactType: 'x/mine',
        annotations: { note: 'kept' },
      },
    ]);
    expect(reads).toBeGreaterThan(3);
  });
});

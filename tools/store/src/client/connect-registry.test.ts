import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore, Registry } from '#ports';
import { openStore } from '../index.ts';
import { answerFirst, faultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts';
import { connectRegistry } from './connect-registry.ts';
import { delayOf } from './registry-http.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-registry-'));
const TYPE = 'application/vnd.oci.image.manifest.v1+json';
const blob = Buffer.from('some bytes of a blob');
const digest = digestOf(blob);
let store: ImageStore;
let proxy: FaultyProxy;
let registry: Registry;
let waits: number[] = [];

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
  waits = [];
  registry = connectRegistry({
    host: proxy.address,
    chunkSize: 7,
    sleep: async (ms) => void waits.push(ms),
    credentials: () => ({ user: 'me', password: 'pass-word' }),
  });
});

const write = (repository: string): Promise<void> =>
  registry.writeBlob(repository, digest, blob.length, async function* () {
    yield blob.subarray(0, 3);
    yield blob.subarray(3);
  });
const read = async (repository: string): Promise<string> => {
  const chunks: Uint8Array[] = [];
  const wanted = { mediaType: 'x/blob', digest, size: blob.length };
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

describe('connectRegistry', () => {
  it('restarts an upload after a broken connection, and sends chunks', async () => {
    let broken = false;
    proxy.fault = (request, response) => {
      if (broken || request.method !== 'PATCH') return undefined;
      broken = true;
      return response.destroy();
    };
    await write('a/b');
    expect(await read('a/b')).toBe(blob.toString());
    expect(proxy.seen.filter((line) => line.startsWith('PATCH'))).toHaveLength(
      1 + Math.ceil(blob.length / 7),
    );
    await write('a/b');
    expect(await registry.mountBlob('c', digest, 'a/b')).toBe(true);
    expect(await registry.mountBlob('c', digestOf('none'), 'a/b')).toBe(false);
  });

  it('finds the digest of a manifest, and lists tags of all pages', async () => {
    const bytes = manifestOf();
    await write('a/b');
    await registry.writeManifest('a/b', 'one', TYPE, bytes);
    expect(await registry.manifestDigest('a/b', 'one')).toBe(digestOf(bytes));
    expect(await registry.manifestDigest('a/b', 'none')).toBeUndefined();
    proxy.strip = 'docker-content-digest';
    expect(await registry.manifestDigest('a/b', 'one')).toBe(digestOf(bytes));
    proxy.fault = (request, response) => {
      if (!request.url?.includes('/tags/')) return undefined;
      const isLast = request.url.includes('last=');
      return response
        .writeHead(200, isLast ? {} : { Link: '</v2/a/b/tags/list?n=1&last=x>; rel="next"' })
        .end(JSON.stringify({ name: 'a/b', tags: isLast ? ['y'] : ['x'] }));
    };
    expect(await registry.tags('a/b')).toEqual(['x', 'y']);
    proxy.fault = answerFirst(1, /tags/, 200, {}, '{"tags":null}');
    expect(await registry.tags('a/b')).toEqual([]);
    proxy.fault = answerFirst(1, /tags/, 200, {}, '{"tags":[1]}');
    await expect(registry.tags('a/b')).rejects.toThrow(
      `${proxy.address} sent an invalid response when asked to list the tags of a/b: the response has no "tags" list`,
    );
  });

  it('writes and reads a manifest by tag and digest', async () => {
    const bytes = manifestOf();
    expect(await registry.writeManifest('a/b', 'one', TYPE, bytes)).toBe(digestOf(bytes));
    for (const reference of ['one', digestOf(bytes)])
      expect(await registry.readManifest('a/b', reference)).toEqual({ mediaType: TYPE, bytes });
    expect(await registry.readManifest('a/b', 'two')).toBeUndefined();
    await expect(registry.writeManifest('a/b', 'big', TYPE, Buffer.alloc(5 << 20))).rejects.toThrow(
      'manifest big of a/b has 5242880 bytes; registries accept at most 4194304',
    );
    await expect(
      registry.writeManifest(
        'a/b',
        'odd',
        TYPE,
        Buffer.from(manifestOf().toString().replaceAll(digest, digestOf('none'))),
      ),
    ).rejects.toThrow(
      `${proxy.address} refused to store manifest odd in a/b: status 400 (MANIFEST_BLOB_UNKNOWN: blob ${digestOf('none')} does not exist)`,
    );
  });

  it('lists referrers, by the fallback tag if the registry has no referrers API', async () => {
    const subject = digestOf(manifestOf());
    const native = manifestOf({
      subject: { mediaType: TYPE, digest: subject, size: 1 },
      artifactType: 'x/native',
    });
    await registry.writeManifest('a/b', digestOf(native), TYPE, native);
    expect(await registry.referrers('a/b', subject)).toEqual([
      { mediaType: TYPE, digest: digestOf(native), size: native.length, artifactType: 'x/native' },
    ]);
    proxy.fault = (request, response) =>
      request.url?.includes('/referrers/') ? response.writeHead(404).end() : undefined;
    proxy.strip = 'oci-subject';
    for (const kind of ['x/one', 'x/two', 'x/one']) {
      const other = manifestOf({
        subject: { mediaType: TYPE, digest: subject, size: 1 },
        artifactType: kind,
      });
      await registry.writeManifest('a/b', digestOf(other), TYPE, other);
    }
    expect(
      (await registry.referrers('a/b', subject)).map(({ artifactType }) => artifactType),
    ).toEqual(['x/one', 'x/two']);
  });

  it.each([
    ['429 with Retry-After', 1, 429, { 'Retry-After': '3' }, [3000]],
    ['503', 2, 503, {}, [500, 1000]],
  ])('retries after %s', async (_, times, status, headers, expected) => {
    proxy.fault = answerFirst(times, /^HEAD/, status, headers as Record<string, string>);
    expect(await registry.hasBlob('a/b', digest)).toBe(true);
    expect(waits).toHaveLength(expected.length);
    for (const [index, most] of expected.entries()) {
      expect(waits[index]).toBeLessThanOrEqual(most);
      expect(waits[index]).toBeGreaterThanOrEqual(most / 2);
    }
  });

  it('requests a token once per scope, and sends the password only to the realm', async () => {
    const seen: (string | undefined)[] = [];
    proxy.fault = (request, response) => {
      const { authorization } = request.headers;
      if (request.url?.startsWith('/token')) {
        seen.push(`${request.url} ${authorization}`);
        return response.end('{"token":"to.ken"}');
      }
      if (authorization === 'Bearer to.ken') return undefined;
      return response
        .writeHead(401, {
          'WWW-Authenticate': `Bearer realm="http://${proxy.address}/token",service="here"`,
        })
        .end();
    };
    expect(await registry.hasBlob('a/b', digest)).toBe(true);
    expect(await read('a/b')).toBe(blob.toString());
    expect(seen).toEqual([
      `/token?scope=repository%3Aa%2Fb%3Apull&service=here Basic ${Buffer.from('me:pass-word').toString('base64')}`,
    ]);
  });

  it('follows a redirect to another host without the token', async () => {
    const elsewhere = await faultyProxy(store);
    let sent: string | undefined = 'none seen';
    elsewhere.fault = (request) => void (sent = request.headers.authorization);
    proxy.fault = (request, response) => {
      if (request.headers.authorization === undefined)
        return response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
      return response
        .writeHead(307, { Location: `http://${elsewhere.address}${request.url}` })
        .end();
    };
    expect(await read('a/b')).toBe(blob.toString());
    expect(sent).toBeUndefined();
    await elsewhere.close();
  });

  it.each<[string, Parameters<typeof answerFirst>, () => Promise<unknown>, string]>([
    [
      'redirects endlessly',
      [99, /./, 307, { Location: '/v2/' }],
      () => registry.hasBlob('a/b', digest),
      `sent an invalid response when asked to check for blob ${digest} in a/b: it redirects more than 5 times`,
    ],
    [
      'names a token realm on another host with plain HTTP',
      [1, /./, 401, { 'WWW-Authenticate': 'Bearer realm="http://example.org/token"' }],
      () => registry.hasBlob('a/b', digest),
      'sent an invalid response when asked to authenticate: the token realm must be an HTTPS URL without credentials',
    ],
    [
      'returns another manifest',
      [3, /./, 200, {}, '{}'],
      () => registry.readManifest('a/b', digest),
      `sent damaged content when asked to read manifest ${digest} of a/b: the response has the digest ${digestOf('{}')} (3 attempts)`,
    ],
    [
      'returns an endless manifest',
      [1, /./, 200, {}, 'x'.repeat(5 << 20)],
      () => registry.readManifest('a/b', 'one'),
      'sent an invalid response when asked to read manifest one of a/b: the response is longer than 4194304 bytes',
    ],
    [
      'denies access',
      [1, /./, 403, {}, '{"errors":[{"code":"DENIED","message":"not you"}]}'],
      () => write('new'),
      `refused to check for blob ${digest} in new: status 403`,
    ],
    [
      'fails permanently',
      [99, /./, 500],
      () => registry.readManifest('a/b', 'one'),
      'refused to read manifest one of a/b: status 500',
    ],
  ])('reports a registry that %s', async (_, fault, call, message) => {
    proxy.fault = answerFirst(...fault);
    await expect(call()).rejects.toThrow(`${proxy.address} ${message}`);
  });

  it('uses HTTPS on loopback if asked', async () => {
    const { address: host } = proxy;
    const secure = connectRegistry({ host, plainHttp: false, sleep: async () => undefined });
    await expect(secure.tags('any')).rejects.toMatchObject({ code: 'registry-unreachable' });
    expect(proxy.seen).toEqual([]);
  });

  it('reports a registry that is unreachable', async () => {
    const unreachable = connectRegistry({ host: '127.0.0.1:1', sleep: async () => undefined });
    await expect(unreachable.hasBlob('a', digest)).rejects.toThrow(
      `cannot connect to 127.0.0.1:1 to check for blob ${digest} in a: `,
    );
  });
});

it.each([
  ['7', 1, 7000],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 1, 9000],
  ['86400', 1, 60_000],
  [null, 3, 2000],
  ['soon', 1, 500],
])('waits with Retry-After %j at attempt %d for %d ms', (retryAfter, attempt, ms) => {
  expect(delayOf(retryAfter, attempt, 0, () => 1)).toBe(ms);
});

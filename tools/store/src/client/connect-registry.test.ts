import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore, Registry } from '#ports';
import { openStore } from '../index.ts';
import { answerFirst, faultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts';
import { connectRegistry } from './connect-registry.ts';
import { loginCredentials } from './login-credentials.ts';
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
  proxy = await faultyProxy(store.address);
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
const read = async (repository: string, of = digest): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await registry.readBlob(repository, of)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const manifestOf = (extra: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: TYPE, config: { mediaType: 'x/config', digest, size: blob.length }, layers: [], ...extra }));

describe('connectRegistry', () => {
  it('starts an upload over whose connection breaks, and sends chunks', async () => {
    let broken = false;
    proxy.fault = (request, response) => {
      if (broken || request.method !== 'PATCH') return undefined;
      broken = true;
      return response.destroy();
    };
    await write('a/b');
    expect(await read('a/b')).toBe(blob.toString());
    expect(proxy.seen.filter((line) => line.startsWith('PATCH'))).toHaveLength(1 + Math.ceil(blob.length / 7));
    await write('a/b');
    expect(await registry.mountBlob('c', digest, 'a/b')).toBe(true);
    expect(await registry.mountBlob('c', digestOf('none'), 'a/b')).toBe(false);
  });

  it('writes and reads a manifest by tag and digest', async () => {
    const bytes = manifestOf();
    expect(await registry.writeManifest('a/b', 'one', TYPE, bytes)).toBe(digestOf(bytes));
    for (const reference of ['one', digestOf(bytes)]) expect(await registry.readManifest('a/b', reference)).toEqual({ mediaType: TYPE, bytes });
    expect(await registry.readManifest('a/b', 'two')).toBeUndefined();
    await expect(registry.writeManifest('a/b', 'big', TYPE, Buffer.alloc(5 << 20))).rejects.toThrow(
      'the manifest big of a/b has 5242880 bytes; registries take 4194304',
    );
    await expect(registry.writeManifest('a/b', 'odd', TYPE, Buffer.from(manifestOf().toString().replaceAll(digest, digestOf('none'))))).rejects.toThrow(
      `${proxy.address} refused to take manifest odd of a/b: status 400 (MANIFEST_BLOB_UNKNOWN: there is no blob ${digestOf('none')})`,
    );
  });

  it('lists referrers, by the fallback tag where the registry keeps no list', async () => {
    const subject = digestOf(manifestOf());
    const native = manifestOf({ subject: { mediaType: TYPE, digest: subject, size: 1 }, artifactType: 'x/native' });
    await registry.writeManifest('a/b', digestOf(native), TYPE, native);
    expect(await registry.referrers('a/b', subject)).toEqual([{ mediaType: TYPE, digest: digestOf(native), size: native.length, artifactType: 'x/native' }]);
    proxy.fault = (request, response) => (request.url?.includes('/referrers/') ? response.writeHead(404).end() : undefined);
    proxy.strip = 'oci-subject';
    for (const kind of ['x/one', 'x/two', 'x/one']) {
      const other = manifestOf({ subject: { mediaType: TYPE, digest: subject, size: 1 }, artifactType: kind });
      await registry.writeManifest('a/b', digestOf(other), TYPE, other);
    }
    expect((await registry.referrers('a/b', subject)).map(({ artifactType }) => artifactType)).toEqual(['x/two', 'x/one']);
  });

  it.each([
    ['429 with Retry-After', 1, 429, { 'Retry-After': '3' }, [3000]],
    ['503', 2, 503, {}, [500, 1000]],
  ])('tries again after %s', async (_, times, status, headers, expected) => {
    proxy.fault = answerFirst(times, /^HEAD/, status, headers as Record<string, string>);
    expect(await registry.hasBlob('a/b', digest)).toBe(true);
    expect(waits).toEqual(expected);
  });

  it('gets a token once for a scope, with the password sent to the realm alone', async () => {
    const seen: (string | undefined)[] = [];
    proxy.fault = (request, response) => {
      const { authorization } = request.headers;
      if (request.url?.startsWith('/token')) {
        seen.push(`${request.url} ${authorization}`);
        return response.end('{"token":"to.ken"}');
      }
      if (authorization === 'Bearer to.ken') return undefined;
      return response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="http://${proxy.address}/token",service="here"` }).end();
    };
    expect(await registry.hasBlob('a/b', digest)).toBe(true);
    expect(await read('a/b')).toBe(blob.toString());
    expect(seen).toEqual([`/token?scope=repository%3Aa%2Fb%3Apull&service=here Basic ${Buffer.from('me:pass-word').toString('base64')}`]);
  });

  it('follows a redirect to another host without the token', async () => {
    const elsewhere = await faultyProxy(store.address);
    let sent: string | undefined = 'none seen';
    elsewhere.fault = (request) => void (sent = request.headers.authorization);
    proxy.fault = (request, response) => {
      if (request.headers.authorization === undefined) return response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
      return response.writeHead(307, { Location: `http://${elsewhere.address}${request.url}` }).end();
    };
    expect(await read('a/b')).toBe(blob.toString());
    expect(sent).toBeUndefined();
    await elsewhere.close();
  });

  it.each<[string, Parameters<typeof answerFirst>, () => Promise<unknown>, string]>([
    [
      'redirects for ever',
      [99, /./, 307, { Location: '/v2/' }],
      () => registry.hasBlob('a/b', digest),
      `answered wrongly to say whether a/b has blob ${digest}: it redirects more than 5 times`,
    ],
    [
      'sends to plain HTTP elsewhere over an unsafe realm',
      [1, /./, 401, { 'WWW-Authenticate': 'Bearer realm="http://example.org/token"' }],
      () => registry.hasBlob('a/b', digest),
      `answered wrongly to a request: it names no safe place to get a token from`,
    ],
    [
      'gives another manifest',
      [1, /./, 200, {}, '{}'],
      () => registry.readManifest('a/b', digest),
      `answered wrongly to read manifest ${digest} of a/b: its answer hashes to ${digestOf('{}')}`,
    ],
    [
      'gives a manifest without end',
      [1, /./, 200, {}, 'x'.repeat(5 << 20)],
      () => registry.readManifest('a/b', 'one'),
      'answered wrongly to read manifest one of a/b: its answer is longer than 4194304 bytes',
    ],
    ['gives another blob', [1, /./, 200, {}, 'x'], () => read('a/b'), `answered wrongly to read blob ${digest} of a/b: its answer hashes to ${digestOf('x')}`],
    [
      'denies',
      [1, /./, 403, {}, '{"errors":[{"code":"DENIED","message":"not you"}]}'],
      () => write('new'),
      `refused to say whether new has blob ${digest}: status 403`,
    ],
    ['fails for good', [9, /./, 500], () => registry.readManifest('a/b', 'one'), 'refused to read manifest one of a/b: status 500'],
  ])('says what is wrong where the registry %s', async (_, fault, call, message) => {
    proxy.fault = answerFirst(...fault);
    await expect(call()).rejects.toThrow(`${proxy.address} ${message}`);
  });

  it('says that a registry cannot be reached', async () => {
    const gone = connectRegistry({ host: '127.0.0.1:1', sleep: async () => undefined });
    await expect(gone.hasBlob('a', digest)).rejects.toThrow(`127.0.0.1:1 cannot be reached to say whether a has blob ${digest}: `);
  });
});

it.each([
  ['7', 1, 7000],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 1, 9000],
  ['86400', 1, 60_000],
  [null, 3, 2000],
  ['soon', 1, 500],
])('waits after Retry-After %j at attempt %d for %d ms', (said, attempt, ms) => {
  expect(delayOf(said, attempt, 0)).toBe(ms);
});

it('reads what docker login and podman login wrote', () => {
  const [podman, docker] = [join(root, 'auth.json'), join(root, 'config.json')];
  writeFileSync(podman, JSON.stringify({ auths: { 'quay.io': { auth: Buffer.from('a:b:c').toString('base64') } } }));
  writeFileSync(
    docker,
    JSON.stringify({ credsStore: 'x', auths: { 'https://index.docker.io/v1/': { auth: '', identitytoken: 'id-token' }, 'quay.io': {}, empty: {} } }),
  );
  const find = loginCredentials({ REGISTRY_AUTH_FILE: podman, DOCKER_CONFIG: root });
  expect(['quay.io', 'docker.io', 'empty', 'other'].map((host) => find(host))).toEqual([
    { user: 'a', password: 'b:c' },
    { identityToken: 'id-token' },
    undefined,
    undefined,
  ]);
  writeFileSync(podman, 'secret stuff');
  expect(() => loginCredentials({ REGISTRY_AUTH_FILE: podman })('quay.io')).toThrow(`${podman} is not JSON`);
});

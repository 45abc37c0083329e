import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, tagPart } from '#core';
import type { ImageStore } from '#ports';
import { connectRegistry } from '../client/connect-registry.ts';
import { openStore } from '../index.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { pushTestImage, testIdentity } from '../testing/push-image.ts';
import { basicAuthorization, rawRequest } from '../testing/raw-request.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-access-'));
const MANIFEST = '{"schemaVersion":2,"layers":[]}';
let store: ImageStore;

beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('a local program without the login', () => {
  it.each([1, 2, 3])('cannot replace an image that is being pushed (try %d)', async (round) => {
    const identity = testIdentity('victim', `${round}`);
    const path = `/v2/incoming/victim/manifests/${tagPart(identity.fingerprint)}`;
    const answers = new Set<number>();
    let ended = false;
    const attack = (async () => {
      while (!ended)
        answers.add((await rawRequest(store.address, 'PUT', path, { body: MANIFEST })).status);
    })();
    const tar = fixtureTar([{ name: 'good', type: 'file', content: `${round}` }]);
    const { digest } = await pushTestImage(store, identity, [tar]);
    answers.add((await rawRequest(store.address, 'PUT', path, { body: MANIFEST })).status);
    const sealed = await store.seal(identity, digest);
    ended = true;
    await attack;
    expect([...answers]).toEqual([401]);
    const { config } = await store.inspect(sealed.digest);
    expect(config).toMatchObject({ rootfs: { diff_ids: [expect.any(String)] } });
  });

  it.each([
    ['PUT', '/v2/a/manifests/x'],
    ['POST', '/v2/a/blobs/uploads/'],
    ['POST', `/v2/a/blobs/uploads/?digest=${digestOf(MANIFEST)}`],
    ['PATCH', '/v2/a/blobs/uploads/00000000-0000-0000-0000-000000000000'],
    ['PUT', '/v2/a/blobs/uploads/00000000-0000-0000-0000-000000000000'],
    ['DELETE', '/v2/a/blobs/uploads/00000000-0000-0000-0000-000000000000'],
    ['GET', '/v2/a/blobs/uploads/00000000-0000-0000-0000-000000000000'],
    ['GET', '/v2/'],
  ])('gets status 401: %s %s', async (method, path) => {
    const body = ['PUT', 'POST', 'PATCH'].includes(method) ? MANIFEST : '';
    for (const authorization of [
      undefined,
      'Bearer x',
      'Basic',
      'Basic !!',
      basicAuthorization({ user: 'ccp', password: 'other' }),
      basicAuthorization({ user: 'other', password: store.login.password }),
    ]) {
      const headers = authorization === undefined ? {} : { Authorization: authorization };
      expect(await rawRequest(store.address, method, path, { body, headers })).toEqual(
        expect.objectContaining({
          status: 401,
          text: '{"errors":[{"code":"UNAUTHORIZED","message":"only the ccp run that opened this store can write to it"}]}',
          headers: expect.objectContaining({ 'www-authenticate': 'Basic realm="ccp"' }),
        }),
      );
    }
  });

  it('can read images', async () => {
    const identity = testIdentity('read');
    const { digest } = await pushTestImage(store, identity, [
      fixtureTar([{ name: 'read', type: 'file' }]),
    ]);
    const sealed = await store.seal(identity, digest);
    const registry = connectRegistry({ host: store.address });
    expect(digestOf((await registry.readManifest('read', sealed.digest))!.bytes)).toBe(
      sealed.digest,
    );
  });
});

it('has a new login in each run', async () => {
  const before = store.login.password;
  await store.close();
  store = await openStore({ folder });
  expect(before).toMatch(/^[\w-]{43}$/);
  expect(store.login.password).not.toBe(before);
});

it.each([
  'evil.example:PORT',
  'evil.example',
  '127.0.0.1',
  '127.0.0.1:1',
  '127.0.0.1:PORT:PORT',
  '127.0.0.2:PORT',
  '[::1]:PORT',
  'user@127.0.0.1:PORT',
])('refuses requests for the host %j', async (named) => {
  const host = named.replaceAll('PORT', store.address.split(':')[1]!);
  const headers = { Host: host, Authorization: basicAuthorization(store.login) };
  for (const [method, path] of [
    ['GET', '/v2/'],
    ['GET', '/v2/a/tags/list'],
    ['PUT', '/v2/a/manifests/x'],
  ] as const)
    expect(await rawRequest(store.address, method, path, { headers })).toMatchObject({
      status: 403,
      text: `{"errors":[{"code":"DENIED","message":${JSON.stringify(
        `this registry does not serve ${JSON.stringify(host)}`,
      )}}]}`,
    });
});

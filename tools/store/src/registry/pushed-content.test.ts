import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore } from '#ports';
import { openStore } from '../index.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../testing/push-image.ts';
import { basicAuthorization, rawRequest, type RawAnswer } from '../testing/raw-request.ts';
import { digestLike } from './content-digest.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-pushed-'));
const MANIFEST = '{"schemaVersion":2,"layers":[]}';
const sha512 = (text: string): string => digestLike('sha512:', Buffer.from(text));
let store: ImageStore;

/** Sends a request with the login. */
function send(method: string, path: string, body = ''): Promise<RawAnswer> {
  const headers = { Authorization: basicAuthorization(store.login) };
  return rawRequest(store.address, method, path, { body, headers });
}

beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('the list of tags', () => {
  const list = (query: string): Promise<RawAnswer> => send('GET', `/v2/list/tags/list${query}`);

  beforeAll(async () => {
    for (const tag of ['c', 'a', 'b', 'B'])
      await send('PUT', `/v2/list/manifests/${tag}`, MANIFEST);
  });

  it('is sorted, and has no digests', async () => {
    expect((await list('')).text).toBe('{"name":"list","tags":["B","a","b","c"]}');
  });

  it('comes in pages', async () => {
    const first = await list('?n=3');
    expect(first).toMatchObject({
      text: '{"name":"list","tags":["B","a","b"]}',
      headers: { link: '</v2/list/tags/list?n=3&last=b>; rel="next"' },
    });
    const last = await list('?n=3&last=b');
    expect(last.text).toBe('{"name":"list","tags":["c"]}');
    expect(last.headers).not.toHaveProperty('link');
    expect((await list('?n=0')).text).toBe('{"name":"list","tags":[]}');
  });

  it('refuses a number of tags that is not a number', async () => {
    expect(await list('?n=x')).toMatchObject({
      status: 400,
      text: '{"errors":[{"code":"PAGINATION_NUMBER_INVALID","message":"\\"x\\" is not a number of tags"}]}',
    });
  });
});

describe('referrers', () => {
  const subject = digestOf('subject');
  const artifact = (type: string): string =>
    JSON.stringify({
      schemaVersion: 2,
      artifactType: type,
      subject: { mediaType: 'x', digest: subject, size: 1 },
    });

  it('filters referrers by type on request, and says so in the answer', async () => {
    for (const type of ['a/one', 'a/two'])
      await send('PUT', `/v2/refer/manifests/${digestOf(artifact(type))}`, artifact(type));
    const all = await send('GET', `/v2/refer/referrers/${subject}`);
    expect(JSON.parse(all.text)).toMatchObject({
      manifests: [{ artifactType: 'a/one' }, { artifactType: 'a/two' }],
    });
    expect(all.headers).not.toHaveProperty('oci-filters-applied');
    const one = await send('GET', `/v2/refer/referrers/${subject}?artifactType=a/two`);
    expect(one.headers).toMatchObject({ 'oci-filters-applied': 'artifactType' });
    expect(JSON.parse(one.text)).toMatchObject({
      manifests: [{ artifactType: 'a/two', digest: digestOf(artifact('a/two')) }],
    });
  });
});

describe('content with a SHA-512', () => {
  it('is found by both digests, and refused if it does not match', async () => {
    const place = String((await send('POST', '/v2/long/blobs/uploads/')).headers['location']);
    expect(await send('PUT', `${place}?digest=${sha512('text')}`, 'text')).toMatchObject({
      status: 201,
      headers: { 'docker-content-digest': sha512('text') },
    });
    for (const digest of [sha512('text'), digestOf('text')])
      expect(await send('GET', `/v2/long/blobs/${digest}`)).toMatchObject({
        status: 200,
        text: 'text',
      });
    const wrong = String((await send('POST', '/v2/long/blobs/uploads/')).headers['location']);
    expect(await send('PUT', `${wrong}?digest=${sha512('other')}`, 'bytes')).toMatchObject({
      status: 400,
      text: expect.stringContaining(
        `the upload has the digest ${sha512('bytes')}, not ${sha512('other')}`,
      ),
    });
  });

  it('can be a manifest', async () => {
    const path = `/v2/long/manifests/${sha512(MANIFEST)}`;
    expect(await send('PUT', path, MANIFEST)).toMatchObject({ status: 201 });
    expect(await send('GET', path)).toMatchObject({
      status: 200,
      text: MANIFEST,
      headers: { 'docker-content-digest': sha512(MANIFEST) },
    });
  });
});

describe('DELETE', () => {
  it('removes a pushed blob', async () => {
    await send('POST', `/v2/gone/blobs/uploads/?digest=${digestOf('gone')}`, 'gone');
    const path = `/v2/gone/blobs/${digestOf('gone')}`;
    expect(await send('DELETE', path)).toMatchObject({ status: 202 });
    expect(await send('GET', path)).toMatchObject({ status: 404 });
    expect(await send('DELETE', path)).toMatchObject({
      status: 404,
      text: '{"errors":[{"code":"BLOB_UNKNOWN","message":"nothing with this name was pushed in this run"}]}',
    });
  });

  it('removes a tag alone, or a manifest with its tags', async () => {
    const [byTag, byDigest] = ['x', digestOf(MANIFEST)].map((name) => `/v2/gone/manifests/${name}`);
    await send('PUT', byTag!, MANIFEST);
    expect(await send('DELETE', byTag!)).toMatchObject({ status: 202 });
    expect(await send('GET', byTag!)).toMatchObject({ status: 404 });
    expect(await send('GET', byDigest!)).toMatchObject({ status: 200 });
    await send('PUT', byTag!, MANIFEST);
    expect(await send('DELETE', byDigest!)).toMatchObject({ status: 202 });
    for (const path of [byTag!, byDigest!])
      expect(await send('GET', path)).toMatchObject({ status: 404 });
  });

  it('refuses content of the store', async () => {
    const stored = await pushAndSeal(store, testIdentity('kept'), [
      fixtureTar([{ name: 'a', type: 'file' }]),
    ]);
    await store.publish(stored);
    for (const kind of ['manifests', 'blobs'])
      expect(await send('DELETE', `/v2/kept/${kind}/${stored.digest}`)).toMatchObject({
        status: 404,
      });
    await store.verify(stored.digest);
  });
});

describe('a manifest', () => {
  it('may name layers that registries need not have', async () => {
    const layer = {
      mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
      digest: digestOf('elsewhere'),
      size: 1,
    };
    const manifest = JSON.stringify({ schemaVersion: 2, layers: [layer] });
    expect(await send('PUT', '/v2/far/manifests/x', manifest)).toMatchObject({ status: 201 });
  });
});

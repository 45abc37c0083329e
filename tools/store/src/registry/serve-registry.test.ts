import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore } from '#ports';
import { openStore } from '../index.ts';
import { basicAuthorization, rawRequest, type RawAnswer } from '../testing/raw-request.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-serve-'));
const digest = digestOf('0123456789');
const uploads = '/v2/a/b/blobs/uploads/';
let store: ImageStore;

/** Sends a request with the login. */
function send(
  method: string,
  path: string,
  body = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<RawAnswer> {
  const authorized = { Authorization: basicAuthorization(store.login), ...headers };
  return rawRequest(store.address, method, path, { body, headers: authorized });
}

beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

describe('the registry', () => {
  it('accepts a blob in one request, in two, or in chunks', async () => {
    expect(await send('POST', `${uploads}?digest=${digest}`, '0123456789')).toMatchObject({
      status: 201,
    });
    const whole = await send('POST', uploads);
    expect(
      await send('PUT', `${whole.headers['location']}?digest=${digestOf('whole')}`, 'whole'),
    ).toMatchObject({ status: 201 });
    const { headers } = await send('POST', uploads);
    const place = String(headers['location']);
    expect(await send('PATCH', place, '01234', { 'Content-Range': '0-4' })).toMatchObject({
      status: 202,
      headers: { range: '0-4' },
    });
    expect(await send('PATCH', place, '789', { 'Content-Range': '7-9' })).toMatchObject({
      status: 416,
      text: expect.stringContaining('the upload is at byte 5, not 7'),
    });
    const again = String((await send('POST', uploads)).headers['location']);
    await send('PATCH', again, '01234');
    expect(await send('GET', again)).toMatchObject({ status: 204, headers: { range: '0-4' } });
    expect(await send('PUT', `${again}?digest=${digest}`, '56789')).toMatchObject({
      status: 201,
      headers: { 'docker-content-digest': digest },
    });
  });

  it('returns a blob or a range of it', async () => {
    const path = `/v2/any/blobs/${digest}`;
    expect(await send('HEAD', path)).toMatchObject({
      status: 200,
      headers: { 'content-length': '10' },
    });
    expect(await send('GET', path)).toMatchObject({ status: 200, text: '0123456789' });
    expect(await send('GET', path, '', { Range: 'bytes=4-' })).toMatchObject({
      status: 206,
      text: '456789',
      headers: { 'content-range': 'bytes 4-9/10' },
    });
    expect(await send('GET', path, '', { Range: 'bytes=2-3' })).toMatchObject({
      status: 206,
      text: '23',
    });
    expect(await send('GET', path, '', { Range: 'bytes=10-' })).toMatchObject({ status: 416 });
  });

  it('deletes an upload that has another digest or is cancelled', async () => {
    const wrong = String((await send('POST', uploads)).headers['location']);
    expect(await send('PUT', `${wrong}?digest=${digestOf('none')}`, 'other')).toMatchObject({
      status: 400,
      text: expect.stringContaining(
        `the upload has the digest ${digestOf('other')}, not ${digestOf('none')}`,
      ),
    });
    expect(await send('HEAD', `/v2/a/blobs/${digestOf('none')}`)).toMatchObject({ status: 404 });
    const cancelled = String((await send('POST', uploads)).headers['location']);
    expect(await send('DELETE', cancelled)).toMatchObject({ status: 204 });
    for (const deleted of [wrong, cancelled])
      expect(await send('PATCH', deleted, 'x')).toMatchObject({ status: 404 });
  });

  it.each<[string, string, number, string, string?]>([
    ['GET', '/v2/', 200, '{}'],
    ['GET', '/v2/a/b/tags/list', 200, '{"name":"a/b","tags":[]}'],
    ['GET', '/', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/../../etc/passwd', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/a/blobs/..%2f..%2findex.json', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/%2e%2e/manifests/x', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/A/manifests/x', 400, 'NAME_INVALID'],
    ['GET', '/v2/a/manifests/-x', 400, 'TAG_INVALID'],
    ['GET', '/v2/a/blobs/sha256:00', 400, 'DIGEST_INVALID'],
    ['GET', '/v2/%/manifests/x', 400, 'NAME_INVALID'],
    ['GET', `/v2/a/manifests/${digestOf('no manifest')}`, 404, 'MANIFEST_UNKNOWN'],
    ['PUT', '/v2/a/manifests/x', 400, 'MANIFEST_INVALID', 'no json'],
    ['PUT', '/v2/a/manifests/x', 400, 'MANIFEST_INVALID', '{"schemaVersion":1}'],
    [
      'PUT',
      '/v2/a/manifests/x',
      400,
      'MANIFEST_BLOB_UNKNOWN',
      `{"schemaVersion":2,"layers":[{"digest":"${digestOf('gone')}"}]}`,
    ],
    ['PUT', `/v2/a/manifests/${digestOf('x')}`, 400, 'DIGEST_INVALID', '{"schemaVersion":2}'],
    ['PUT', '/v2/a/manifests/x', 413, 'SIZE_INVALID', ' '.repeat(5 << 20)],
    ['DELETE', '/v2/a/manifests/x', 404, 'MANIFEST_UNKNOWN'],
    ['DELETE', '/v2/a/tags/list', 405, 'UNSUPPORTED'],
    ['PATCH', '/v2/a/blobs/uploads/../x', 400, 'DIGEST_INVALID'],
  ])('answers %s %s with %d %s', async (method, path, status, text, body) => {
    expect(await send(method, path, body)).toMatchObject({
      status,
      text: expect.stringContaining(text),
    });
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ImageStore, Registry } from '#ports';
import { openStore } from '../index.ts';
import { faultyProxy, type FaultyProxy } from '../testing/faulty-proxy.ts';
import { connectRegistry } from './connect-registry.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-full-registry-'));
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
  proxy.seen.length = 0;
  registry = connectRegistry({ host: proxy.address, sleep: async () => undefined });
});

const write = (): Promise<void> =>
  registry.writeBlob('a/b', digest, blob.length, async function* () {
    yield blob;
  });
const errorOf = (detail: unknown, code = 'UNKNOWN', message = 'unknown error'): string =>
  JSON.stringify({ errors: [{ code, message, detail }] });
const enclosed = (number: number): object => ({
  DriverName: 'filesystem',
  Enclosed: { Op: 'mkdir', Path: '/var/lib/registry/a', Err: number },
});

describe('a registry with a full disk', () => {
  // The first two are responses of Debian's docker-registry 2.8 on a full file system.
  it.each<[string, number, string, string]>([
    [
      'a text of the system',
      500,
      errorOf('write /var/lib/registry/a: no space left on device'),
      'status 500, UNKNOWN: unknown error: write /var/lib/registry/a: no space left on device',
    ],
    ['the number of ENOSPC', 500, errorOf(enclosed(28)), 'status 500, UNKNOWN: unknown error'],
    ['the number of EDQUOT', 500, errorOf(enclosed(122)), 'status 500, UNKNOWN: unknown error'],
    [
      'the error of another ccp',
      403,
      errorOf(undefined, 'DENIED', 'no space left for the image store at /x'),
      'status 403, DENIED: no space left for the image store at /x',
    ],
    ['status 507', 507, '', 'status 507'],
  ])('is named after one request: %s', async (_, status, text, shown) => {
    for (const method of ['POST', 'PATCH', 'PUT']) {
      proxy.seen.length = 0;
      proxy.fault = (request, response) =>
        request.method === method ? response.writeHead(status).end(text) : undefined;
      await expect(write()).rejects.toMatchObject({
        code: 'registry-full',
        message: `${proxy.address} cannot store blob ${digest} in a/b: its disk or quota is full (${shown})`,
        hint: 'free space in the registry and run the command again; it continues with the missing blobs',
      });
      expect(proxy.seen.filter((line) => line.startsWith(method))).toHaveLength(1);
    }
  });

  it('is not confused with one that fails for another reason', async () => {
    proxy.fault = (request, response) =>
      request.method === 'PATCH' ? response.writeHead(500).end(errorOf(enclosed(5))) : undefined;
    await expect(write()).rejects.toMatchObject({ code: 'registry-failed' });
  });
});

describe('a registry that fails each start of an upload', () => {
  it('is asked for about a minute, not for as long per attempt of the upload', async () => {
    const waits: number[] = [];
    registry = connectRegistry({
      host: proxy.address,
      sleep: async (ms) => void waits.push(ms ?? 0),
    });
    proxy.fault = (request, response) =>
      request.method === 'POST' ? response.writeHead(500).end() : undefined;
    await expect(write()).rejects.toMatchObject({ code: 'registry-failed' });
    expect(proxy.seen.filter((line) => line.startsWith('POST'))).toHaveLength(12);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(76_000);
  });
});

import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import { openBlobs } from '../layout/blobs.ts';
import { openKnownLayers } from '../layout/known-layers.ts';
import { layoutStorage, storeStorage } from '../layout/layout-storage.ts';
import { basicAuthorization, rawRequest, type RawAnswer } from '../testing/raw-request.ts';
import { newLogin } from './registry-access.ts';
import type { RegistryLimits } from './registry-limits.ts';
import { serveRegistry, type RegistryServer } from './serve-registry.ts';

const login = newLogin();
const headers = { Authorization: basicAuthorization(login) };
let folder: string;
let server: RegistryServer | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-limits-'));
});
afterEach(async () => {
  await server?.close();
  rmSync(folder, { recursive: true });
});

/** Serves an empty store in `folder`; `send` sends a request with the login. */
async function serve(limits: Partial<RegistryLimits>) {
  const blobs = openBlobs(folder, folder);
  const storage = storeStorage(
    layoutStorage(blobs, () => []),
    blobs,
    openKnownLayers(folder, folder),
    limits.manifestBytes,
  );
  server = await serveRegistry(storage, { host: '127.0.0.1', port: 0, login, limits });
  const address = `127.0.0.1:${server.port}`;
  const send = (method: string, path: string, body = ''): Promise<RawAnswer> =>
    rawRequest(address, method, path, { body, headers });
  return { send, port: server.port };
}

const message = ({ status, text }: RawAnswer): string =>
  `${status} ${(JSON.parse(text) as { errors: { message: string }[] }).errors[0]?.message}`;
const blobPath = (text: string): string => `/v2/a/blobs/uploads/?digest=${digestOf(text)}`;

it('limits the size of a blob and of all blobs in a run, and deletes blobs over the limit', async () => {
  const { send } = await serve({ blobBytes: 10, totalBytes: 25 });
  expect(message(await send('POST', blobPath('12345678901'), '12345678901'))).toBe(
    '413 a blob must not exceed 10 bytes',
  );
  expect((await send('POST', blobPath('1234567890'), '1234567890')).status).toBe(201);
  expect(message(await send('POST', blobPath('12345'), '12345'))).toBe(
    '413 the blobs pushed in one run must not exceed 25 bytes',
  );
  expect(readdirSync(folder)).toHaveLength(1);
});

it('limits the total size of manifests', async () => {
  const { send } = await serve({ manifestBytes: 45 });
  expect((await send('PUT', '/v2/a/manifests/x', '{"schemaVersion":2}')).status).toBe(201);
  expect((await send('PUT', '/v2/a/manifests/y', '{"schemaVersion":2}')).status).toBe(201);
  expect(message(await send('PUT', '/v2/a/manifests/z', '{"schemaVersion":2}'))).toBe(
    '413 the manifests pushed in one run must not exceed 45 bytes',
  );
});

it('limits the number of uploads, and deletes idle ones', async () => {
  const { send } = await serve({ uploads: 2, idleMs: 300 });
  const start = () => send('POST', '/v2/a/blobs/uploads/');
  const first = String((await start()).headers['location']);
  await send('PATCH', first, 'some bytes');
  await start();
  expect(message(await start())).toBe('429 2 uploads are in progress, which is the maximum');
  await delay(400);
  expect((await start()).status).toBe(202);
  expect((await send('PATCH', first, 'more')).status).toBe(404);
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

it('refuses manifests that are nested too deep to be listed', async () => {
  const { send } = await serve({});
  const subject = `{"digest":"${digestOf('x')}"}`;
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const manifest = `{"schemaVersion":2,"subject":${subject},"annotations":${deep}}`;
  expect(message(await send('PUT', '/v2/a/manifests/x', manifest))).toBe(
    '400 the manifest is invalid: it has lists or objects nested deeper than 256 levels',
  );
  expect((await send('GET', `/v2/a/referrers/${digestOf('x')}`)).status).toBe(200);
});

it('keeps no upload whose digest is invalid', async () => {
  const { send } = await serve({ uploads: 1 });
  for (let done = 0; done < 3; done += 1)
    expect(message(await send('POST', '/v2/a/blobs/uploads/?digest=bad', 'x'))).toBe(
      '400 "bad" is not a sha256 or sha512 digest',
    );
  expect((await send('POST', '/v2/a/blobs/uploads/')).status).toBe(202);
  expect(readdirSync(folder)).toEqual([]);
});

it('closes a connection that sends requests before the last one is answered', async () => {
  const { port, send } = await serve({});
  const large = 'x'.repeat(8 << 20);
  expect((await send('POST', blobPath(large), large)).status).toBe(201);
  const get = `GET /v2/a/blobs/${digestOf(large)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const openFiles = (): number =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
      } catch {
        return false;
      }
    }).length;
  const socket = connect(port, '127.0.0.1', () => socket.write(get.repeat(600)));
  socket.on('error', () => undefined);
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, openFiles())), 5);
  socket.resume();
  await expect.poll(() => socket.closed).toBe(true);
  clearInterval(timer);
  expect(most).toBeLessThanOrEqual(1);
  await expect.poll(openFiles).toBe(0);
});

it('closes connections without headers and idle connections', async () => {
  const { port, send } = await serve({ headersMs: 300, idleMs: 600, checkMs: 50 });
  const socket = (text: string): Promise<Socket> =>
    new Promise((resolve) => {
      const opened = connect(port, '127.0.0.1', () => {
        opened.write(text);
        resolve(opened);
      });
      opened.on('error', () => undefined).resume();
    });
  const authorization = `Authorization: ${headers.Authorization}`;
  const half = `POST /v2/a/blobs/uploads/?digest=${digestOf('x')} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${authorization}\r\nContent-Length: 9\r\n\r\nx`;
  const sockets = await Promise.all(
    Array.from({ length: 90 }, (_, index) =>
      socket(index % 3 === 0 ? '' : index % 3 === 1 ? 'GET /v2/ HTTP/1.1\r\nHost: ' : half),
    ),
  );
  expect((await send('GET', '/v2/')).status).toBe(200);
  await expect.poll(() => sockets.filter(({ closed }) => !closed).length).toBe(0);
  await expect.poll(() => readdirSync(folder)).toEqual([]);
});

describe('a connection over the maximum number', () => {
  const open = (port: number, text: string): Promise<Socket> =>
    new Promise((resolve) => {
      const opened = connect(port, '127.0.0.1', () => {
        opened.write(text);
        resolve(opened);
      });
      opened.on('error', () => undefined).resume();
    });

  it('replaces the oldest one that sends nothing, so that requests are answered', async () => {
    const { port, send } = await serve({ connections: 20 });
    const flood = Array.from({ length: 200 }, () => open(port, 'GET /v2/ HTTP/1.1\r\n'));
    const answers = await Promise.all(
      flood.map(async (opened, index) => {
        await opened;
        return index % 10 === 0 ? (await send('GET', '/v2/')).status : 200;
      }),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    const sockets = await Promise.all(flood);
    const left = (): number => sockets.filter(({ closed }) => !closed).length;
    await expect.poll(left).toBeLessThanOrEqual(20);
    expect((await send('GET', '/v2/')).status).toBe(200);
    for (const each of sockets) each.destroy();
  });

  it('replaces the slowest reader without the login if all have a request in progress', async () => {
    const { port, send } = await serve({ connections: 6 });
    const large = 'x'.repeat(8 << 20);
    expect((await send('POST', blobPath(large), large)).status).toBe(201);
    const get = `GET /v2/a/blobs/${digestOf(large)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const upload = `POST ${blobPath('xy')} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${headers.Authorization}\r\nContent-Length: 2\r\n\r\nx`;
    const writer = await open(port, upload);
    const ours = await open(port, `${get}Authorization: ${headers.Authorization}\r\n\r\n`);
    const others = await Promise.all(Array.from({ length: 4 }, () => open(port, `${get}\r\n`)));
    for (const each of [ours, ...others]) each.pause();
    await expect.poll(() => readdirSync(folder).length).toBe(2);
    await delay(100);
    for (let done = 0; done < 3; done += 1) expect((await send('GET', '/v2/')).status).toBe(200);
    await delay(50);
    for (const each of [ours, ...others]) each.resume();
    await expect.poll(() => others.filter(({ closed }) => closed).length).toBe(1);
    expect([writer.closed, ours.closed]).toEqual([false, false]);
    for (const each of [writer, ours, ...others]) each.destroy();
  });

  it('replaces no connection with a request in progress that has the login', async () => {
    const { port, send } = await serve({ connections: 3 });
    const upload = `POST ${blobPath('xy')} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${headers.Authorization}\r\nContent-Length: 2\r\n\r\nx`;
    const sockets = await Promise.all([upload, upload, upload].map((text) => open(port, text)));
    await expect.poll(() => readdirSync(folder).length).toBe(3);
    await expect(send('GET', '/v2/')).rejects.toThrow(/ECONNRESET|hang up/);
    expect(sockets.map(({ closed }) => closed)).toEqual([false, false, false]);
    sockets[0]!.write('y');
    await expect.poll(async () => (await send('GET', '/v2/')).status).toBe(200);
    for (const each of sockets) each.destroy();
  });
});

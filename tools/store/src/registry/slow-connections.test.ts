import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf } from '#core';
import { openBlobs } from '../layout/blobs.ts';
import { openKnownLayers } from '../layout/known-layers.ts';
import { layoutStorage, storeStorage } from '../layout/layout-storage.ts';
import { basicAuthorization, rawRequest } from '../testing/raw-request.ts';
import { newLogin } from './registry-access.ts';
import { serveRegistry, type RegistryServer } from './serve-registry.ts';

/** More than the registry keeps open at a time. */
const CONNECTIONS = 800;
const login = newLogin();
const authorization = basicAuthorization(login);
/** Part of a request that is sent at once, and text that is repeated slowly without an end. */
const KINDS: readonly (readonly [start: string, slow: string])[] = [
  ['', ''],
  ['GET /v2/ HT', ''],
  ['', 'G'],
  ['GET /v2/ HTTP/1.1\r\nHost: ', 'x'],
  ['GET /v2/ HTTP/1.1\r\n', 'X-Slow: y\r\n'],
  [
    `POST /v2/a/blobs/uploads/?digest=${digestOf('x')} HTTP/1.1\r\nHost: HOST\r\nAuthorization: ${authorization}\r\nContent-Length: 99999\r\n\r\nx`,
    'x',
  ],
];
let folder: string;
let server: RegistryServer;
let host: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-slow-'));
  const blobs = openBlobs(folder, folder);
  const storage = storeStorage(
    layoutStorage(blobs, () => []),
    blobs,
    openKnownLayers(folder, folder),
  );
  // The idle timeout is long: slow connections must meet a deadline. The good requests have the
  // same deadlines, also on a machine with a high load.
  const limits = { headersMs: 3000, requestMs: 4000, idleMs: 600_000, checkMs: 50 };
  server = await serveRegistry(storage, { host: '127.0.0.1', port: 0, login, limits });
  host = `127.0.0.1:${server.port}`;
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface SlowConnection {
  /** True after the server has closed the connection. */
  isClosed: boolean;
  sendMore(): void;
  destroy(): void;
}

/** Opens a connection that never finishes its request. */
function openSlow([start, slow]: (typeof KINDS)[number]): Promise<SlowConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(start.replace('HOST', host));
      resolve(slowConnection);
    });
    const slowConnection: SlowConnection = {
      isClosed: false,
      sendMore: () => void (slow !== '' && socket.writable && socket.write(slow)),
      destroy: () => socket.destroy(),
    };
    socket
      .on('error', reject)
      .on('close', () => (slowConnection.isClosed = true))
      .resume();
  });
}

it(`closes ${CONNECTIONS} slow connections by a deadline, and serves others meanwhile`, async () => {
  const connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, index) => openSlow(KINDS[index % KINDS.length]!)),
  );
  const timer = setInterval(() => {
    for (const connection of connections) connection.sendMore();
  }, 100);
  try {
    const headers = { Authorization: authorization };
    expect((await rawRequest(host, 'GET', '/v2/', { headers })).status).toBe(200);
    await expect
      .poll(() => connections.filter(({ isClosed }) => !isClosed).length, { timeout: 60_000 })
      .toBe(0);
    expect((await rawRequest(host, 'GET', '/v2/', { headers })).status).toBe(200);
    await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toEqual([]);
  } finally {
    clearInterval(timer);
    for (const connection of connections) connection.destroy();
  }
}, 120_000);

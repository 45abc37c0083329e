import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openBlobs } from '../../tools/store/src/layout/blobs.ts';
import { openKnownLayers } from '../../tools/store/src/layout/known-layers.ts';
import { layoutStorage, storeStorage } from '../../tools/store/src/layout/layout-storage.ts';
import { newLogin } from '../../tools/store/src/registry/registry-access.ts';
import { serveRegistry } from '../../tools/store/src/registry/serve-registry.ts';
import { median, report } from './measure.ts';

// The embedded registry while 800 clients each open a connection and never finish a request, and
// open another one when theirs is closed. Other clients ask for /v2/ all the time. Throws if a
// request fails, or if the registry needs more files or memory than its limits allow.
const SLOW = Number(process.env['CCP_BENCH_CONNECTIONS'] ?? 800);
const SECONDS = Number(process.env['CCP_BENCH_SECONDS'] ?? 25);
const MOST_FILES = 700;
const MOST_GROWTH = 128 << 20;

if (process.argv[2] === 'serve') await serveEmptyStore();
const server = spawn(process.execPath, [import.meta.filename, 'serve'], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const port = Number(await new Promise((resolve) => server.stdout.once('data', resolve)));
const memory = (): number =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
const files = (): number => readdirSync(`/proc/${server.pid}/fd`).length;

/** Milliseconds until a request on a new connection is answered; throws if it fails. */
async function request(): Promise<number> {
  const started = performance.now();
  await new Promise<void>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/v2/', agent: false }, (response) => {
      response.resume().once('end', resolve).once('error', reject);
    }).once('error', reject);
  });
  return performance.now() - started;
}

const STARTS = ['', 'GET /v2/ HT', 'GET /v2/ HTTP/1.1\r\nHost: ', 'GET /v2/ HTTP/1.1\r\n'];
const sockets = new Set<Socket>();
let [opened, stopped] = [0, false];
function openSlow(): void {
  if (stopped) return;
  const socket = connect(port, '127.0.0.1', () => socket.write(STARTS[opened % STARTS.length]!));
  opened += 1;
  sockets.add(socket);
  socket
    .on('error', () => undefined)
    .on('close', () => {
      sockets.delete(socket);
      setTimeout(openSlow, 100);
    });
  socket.resume();
}

await request();
const before = memory();
for (let count = 0; count < SLOW; count += 1) openSlow();
const drip = setInterval(() => {
  for (const socket of sockets) if (socket.writable) socket.write('x');
}, 500);
const until = performance.now() + SECONDS * 1000;
const took: number[] = [];
let [mostFiles, mostMemory] = [0, 0];
while (performance.now() < until) {
  took.push(await request());
  mostFiles = Math.max(mostFiles, files());
  mostMemory = Math.max(mostMemory, memory());
  await delay(20);
}
stopped = true;
clearInterval(drip);
const left = performance.now();
const waiting = sockets.size;
while (sockets.size > 0) await delay(50);
const figures = {
  connections: SLOW,
  openedInTotal: opened,
  requests: took.length,
  medianMs: Math.round(median(took)),
  slowestMs: Math.round(Math.max(...took)),
  files: mostFiles,
  memoryGrowthMB: Math.round((mostMemory - before) / 2 ** 20),
  closedAfterMs: Math.round(performance.now() - left),
  openAtTheEnd: waiting,
};
server.stdin.end();
report('connections', figures);
process.stdout.write(`${JSON.stringify(figures)}\n`);
if (mostFiles > MOST_FILES || mostMemory - before > MOST_GROWTH)
  throw new Error('the registry exceeds its limits');

/**
 * Serves the registry of a build with an empty store, until the input of this process ends: its
 * memory and files are those of a process of its own.
 */
async function serveEmptyStore(): Promise<never> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-slow-'));
  const blobs = openBlobs(folder, folder);
  const storage = storeStorage(
    layoutStorage(blobs, () => []),
    blobs,
    openKnownLayers(folder, folder),
  );
  const registry = await serveRegistry(storage, { host: '127.0.0.1', port: 0, login: newLogin() });
  process.stdout.write(`${registry.port}\n`);
  await new Promise((resolve) => process.stdin.resume().once('end', resolve));
  rmSync(folder, { recursive: true });
  process.exit(0);
}

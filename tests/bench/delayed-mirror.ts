import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

// A worker thread with a mirror on loopback: /pool/HASH is that file of the input cache. Each
// answer starts after a delay. Sends its port to the parent.
const { cache, delayMs } = workerData as { readonly cache: string; readonly delayMs: number };

const server = createServer((request, response) => {
  const hash = /^\/pool\/([0-9a-f]{64})$/.exec(request.url ?? '')?.[1];
  void delay(delayMs).then(() => {
    if (hash === undefined) return response.writeHead(404).end();
    const file = createReadStream(join(cache, 'sha256', hash.slice(0, 2), hash));
    return file.on('error', () => response.destroy()).pipe(response);
  });
}).listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));

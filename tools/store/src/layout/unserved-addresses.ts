import { createServer } from 'node:net';
import { LOOPBACK } from '../loopback.ts';
import { readPorts } from './store-ports.ts';

/** See `unservedAddresses` in index.ts. */
export async function unservedAddresses(folder: string): Promise<readonly string[]> {
  const free = await Promise.all(
    readPorts(folder).map(async (port) => ((await isFree(port)) ? [`${LOOPBACK}:${port}`] : [])),
  );
  return free.flat();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, LOOPBACK, () => server.close(() => resolve(true)));
  });
}

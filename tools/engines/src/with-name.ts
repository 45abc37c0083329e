import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;

/**
 * Does `work` while no other process of this machine does work of the same name. The name is held as an abstract unix
 * socket, which the kernel lets go with the process that holds it, however that ends.
 */
export async function withName<T>(name: string, work: () => Promise<T>): Promise<T> {
  let held = await hold(name);
  while (held === undefined) {
    await delay(POLL_MS);
    held = await hold(name);
  }
  try {
    return await work();
  } finally {
    held.close();
  }
}

/** Holds the name for as long as this process runs, or until what it gives is closed; nothing where another holds it. */
export async function hold(name: string): Promise<Server | undefined> {
  const server = createServer().unref();
  server.listen(`\0${name}`);
  try {
    await once(server, 'listening');
    return server;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw thrown;
  }
}

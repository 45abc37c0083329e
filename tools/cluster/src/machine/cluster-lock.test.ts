import { createServer } from 'node:net';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { withClusterLock } from './cluster-lock.ts';

it('does not depend on a socket that any user can bind (needs Linux)', async () => {
  const server = createServer().listen('\0ccp-cluster');
  await once(server, 'listening');
  try {
    expect(await withClusterLock(undefined, () => Promise.resolve('done'))).toBe('done');
  } finally {
    server.close();
  }
});

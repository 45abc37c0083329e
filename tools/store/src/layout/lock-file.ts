import { CcpError } from '#core';
import { tryLock } from '#host';

/**
 * Locks the store by the file at `path`; the result releases the lock. The lock of a process that
 * no longer exists is taken over. Throws `store-busy` with the id of the process that has the lock.
 */
export function lockStore(path: string): () => void {
  const attempt = tryLock(path);
  if (attempt.held) return attempt.release;
  throw new CcpError({
    code: 'store-busy',
    message: `the image store is in use by process ${attempt.owner.pid} (${path})`,
    hint: 'wait for the other ccp run in this workspace to finish, or stop it',
  });
}

export type * from './types.ts';
export { checkLocks, refuseLocks } from './check-locks.ts';
export { diffLocks, renderLockDiff, type LockDiff, type PackageChange } from './diff-locks.ts';
export type { LockEvent, LockEvents } from './events.ts';
export { parseLock, renderLock } from './lock-file.ts';
export { lockFileName, readLock, writeLock } from './lock-store.ts';
export { resolveLocks, type LockedImage, type LockOrigins, type LockRequest, type LockResult } from './resolve-locks.ts';
export { IMAGE_STAGES } from './stack.ts';
export { summarise } from './summary.ts';

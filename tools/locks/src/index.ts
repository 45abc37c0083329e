export type * from './types.ts';
export { checkLocks, lockFaults, lockHint, refuseLocks } from './check-locks.ts';
export { diffLocks, renderLockDiff, type LockDiff, type PackageChange } from './diff-locks.ts';
export { endOfLifeLines, suiteEndOfLifeLines } from './end-of-life.ts';
export type { LockEvent, LockEvents } from './events.ts';
export { lockFileName, lockPath, readLock, writeLock } from './lock-store.ts';
export { previewLocks } from './preview-locks.ts';
export { resolveLocks } from './resolve-locks.ts';
export {
  type LockedImage,
  type LockOrigins,
  type LockRequest,
  type LockResult,
} from './lock-request.ts';
export { constrainedProjects } from './python/constraints.ts';
export { summarise } from './summary.ts';
export { IMAGE_STAGES } from './stack.ts';

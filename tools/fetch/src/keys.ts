// Names and cache keys of inputs, separate from the code that fetches, so that `ccp plan` loads
// quickly.
export { seedKey } from './debian/seed-key.ts';
export { gitArchiveKey } from './git/archive-key.ts';
export { type LockedFile, lockedFileName } from './locked-file.ts';

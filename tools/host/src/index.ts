export * from './is-running.ts';
export * from './make-folder.ts';
export * from './on-path.ts';
export * from './process-mark.ts';
export * from './proxied-fetch.ts';
export * from './read-unchanged.ts';
export * from './replace-file.ts';
export * from './require-writable.ts';

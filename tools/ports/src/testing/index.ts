export * from './fake-engine.ts';
export * from './fake-runner.ts';
export { fakeStore } from './fake-store.ts';
export { memoryMemo } from './memory-memo.ts';
export * from './tar-of.ts';

export { containerRunnerSuite, type RunnerUnderTest } from './container-runner-suite.ts';
export * from './fake-engine.ts';
export * from './fake-runner.ts';
export { fakeStore } from './fake-store.ts';
export { hostShell } from './host-shell.ts';
export { imageEngineSuite, type EngineUnderTest } from './image-engine-suite.ts';
export { imageStoreSuite, type StoreUnderTest } from './image-store-suite.ts';
export { memoryMemo } from './memory-memo.ts';
export * from './tar-of.ts';

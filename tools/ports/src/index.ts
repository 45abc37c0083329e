export { type Clock, systemClock } from './clock.ts';
export type * from './cluster.ts';
export type * from './container-runner.ts';
export type * from './image-engine.ts';
export type * from './image-store.ts';
export type * from './memo.ts';
export type * from './registry.ts';
export type * from './source-fetcher.ts';
export { asKind, type ClaimSpec, type ClaimTemplate, type Condition } from './kubernetes-types.ts';

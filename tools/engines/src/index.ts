export { connectEngine, type ConnectOptions } from './connect-engine.ts';
export * from './kubernetes/index.ts';
export type { DockerEngine } from './docker-engine.ts';
export { findDockerd } from './dockerd.ts';
export { checkEndpoints } from './endpoint.ts';
export {
  ensureEngines,
  findEngines,
  type EnsureEnginesOptions,
  type FoundEngines,
} from './ensure-engines.ts';
export { prunePrivateEngine } from './prune-private-engine.ts';
export {
  startPrivateEngine,
  stopPrivateEngine,
  type PrivateEngine,
  type PrivateEngineOptions,
} from './private-engine.ts';

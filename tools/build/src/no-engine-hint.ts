/** Hint of `no-engine`: how a command gets an engine. */
export const NO_ENGINE_HINT =
  'name a running engine with --engine, DOCKER_HOST or "engines" in .ccp.yaml; without these settings, ccp starts an engine';

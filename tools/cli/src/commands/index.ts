import type { CommandDefinition, CommandGroup } from '../command.ts';

type Added = CommandDefinition<never> | CommandGroup;

/**
 * Loaders of all commands by name, in the order of `ccp --help`. A command line loads only the
 * command it names, which saves a third of the start-up of a plan.
 */
export const COMMANDS: Readonly<Record<string, () => Promise<Added>>> = {
  build: async () => (await import('./build.ts')).build,
  plan: async () => (await import('./plan.ts')).plan,
  explain: async () => (await import('./explain.ts')).explain,
  affected: async () => (await import('./affected.ts')).affected,
  durations: async () => (await import('./durations.ts')).durations,
  graph: async () => (await import('./graph.ts')).graph,
  lock: async () => (await import('./lock.ts')).lock,
  validate: async () => (await import('./validate.ts')).validate,
  fetch: async () => (await import('./fetch.ts')).fetchCommand,
  render: async () => (await import('./render.ts')).render,
  export: async () => (await import('./export/index.ts')).exportGroup,
  run: async () => (await import('./run.ts')).run,
  inspect: async () => (await import('./inspect.ts')).inspect,
  'diff-image': async () => (await import('./diff-image.ts')).diffImage,
  test: async () => (await import('./test.ts')).test,
  publish: async () => (await import('./publish.ts')).publish,
  sign: async () => (await import('./sign.ts')).sign,
  verify: async () => (await import('./verify.ts')).verify,
  cves: async () => (await import('./cves.ts')).cves,
  release: async () => (await import('./release/index.ts')).release,
  keygen: async () => (await import('./keygen.ts')).keygen,
  cache: async () => (await import('./cache.ts')).cache,
  clean: async () => (await import('./clean.ts')).clean,
  deploy: async () => (await import('./deploy/index.ts')).deploy,
  operator: async () => (await import('./operator/index.ts')).operator,
  application: async () => (await import('./application/index.ts')).application,
  'host-label': async () => (await import('./host-label/index.ts')).hostLabel,
  'helm-override': async () => (await import('./helm-override/index.ts')).helmOverride,
  up: async () => (await import('./up.ts')).up,
  down: async () => (await import('./down.ts')).down,
  doctor: async () => (await import('./doctor.ts')).doctor,
  nx: async () => (await import('./nx.ts')).nx,
  completion: async () => (await import('./completion.ts')).completion,
};

import { availableParallelism, loadavg } from 'node:os';
import pLimit from 'p-limit';
import { codeOf, omitUndefined } from '#core';
import type { ContainerResult, ContainerRunner, ContainerSpec } from '#ports';

/** Time limits on an idle machine, in seconds; that of a container is for its start and its end. */
export const LIMIT_SECONDS = { command: 60, python: 600, probe: 600, container: 60 } as const;
/** The largest factor by which a busy machine extends a limit. */
const MAX_FACTOR = 10;

/**
 * The factor that extends time limits on a busy machine: runnable processes per processor in the
 * last minute, from 1 to 10. Engines are always on this machine.
 */
export function loadFactor(load = loadavg()[0]!, processors = availableParallelism()): number {
  return Math.min(Math.max(load / processors, 1), MAX_FACTOR);
}

/**
 * Runs the second attempts of image tests, one at a time in this process. Calls must not be
 * nested.
 */
export const repeatAlone = pLimit(1);

/**
 * Runs a container whose script prints at least one line. It is run once more by `repeatAlone`,
 * with a new limit, if it exceeds the time limit, or if it succeeds without output: a busy engine
 * can lose the output of a container that ends before the engine has attached to it (seen on Docker
 * 20.10). Throws the runner's errors.
 */
export async function runLimited(
  runner: ContainerRunner,
  spec: ContainerSpec,
  limitSeconds: () => number,
  signal: AbortSignal | undefined,
): Promise<ContainerResult> {
  const run = (): Promise<ContainerResult> =>
    runner.run(spec, { timeoutMs: Math.ceil(limitSeconds() * 1000), ...omitUndefined({ signal }) });
  const first = await run().catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'timeout') throw thrown;
    return undefined;
  });
  return first === undefined || isOutputLost(first) ? repeatAlone(run) : first;
}

function isOutputLost({ exitCode, stdout, stderr }: ContainerResult): boolean {
  return exitCode === 0 && stdout === '' && stderr === '';
}

/** A container that runs a shell script in an image, without network, rights or a writable root. */
export function isolated(image: string): ContainerSpec {
  return { image, entrypoint: ['/bin/sh'], network: 'none', readOnlyRoot: true, capDrop: ['ALL'] };
}

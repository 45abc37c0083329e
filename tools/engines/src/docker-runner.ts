import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { CcpError } from '#core';
import type { ContainerResult, ContainerRunner, ContainerSpec } from '#ports';
import { attachTerminal } from './attach-terminal.ts';
import { containerConfig, type ContainerUse } from './container-config.ts';
import { pullToEngine } from './docker-images.ts';
import { cancelledError, engineError, statusOf, type EngineCall } from './engine-error.ts';
import { runError } from './run-error.ts';
import { hasRunEnded, RUN_LABEL } from './run-label.ts';
import { removeContainer, startedContainer, collectStreams } from './started-container.ts';

/** Default timeout for pulling a missing image. */
const PULL_MS = 600_000;

/** A container runner with cleanup. */
export interface DockerRunner extends ContainerRunner {
  /** Removes containers of ccp processes on this machine that have exited. */
  removeLeftOvers(): Promise<void>;
  /** Removes all containers that this runner started and that still exist. */
  close(): Promise<void>;
}

/**
 * Runs containers through the Docker Engine API. Calls `removeLeftOvers` before the first
 * container.
 */
export function dockerRunner(docker: Docker, engine: string): DockerRunner {
  const containers = new Set<Docker.Container>();
  let cleared: Promise<void> | undefined;

  const create = async (
    spec: ContainerSpec,
    use: ContainerUse,
    signal = AbortSignal.timeout(PULL_MS),
  ): Promise<Docker.Container> => {
    await (cleared ??= clearLeftOvers(docker));
    const config = containerConfig(spec, use);
    const container = await docker.createContainer(config).catch(async (thrown: unknown) => {
      if (statusOf(thrown) !== 404) throw thrown;
      await pullToEngine(docker, engine, spec.image, signal, undefined);
      return docker.createContainer(config);
    });
    containers.add(container);
    return container;
  };

  const drop = async (container: Docker.Container): Promise<void> => {
    await removeContainer(container).catch((thrown: unknown) => {
      throw engineError(thrown, {
        engine,
        doing: `remove container ${container.id.slice(0, 12)}`,
        refused: 'run-failed',
      });
    });
    containers.delete(container);
  };

  const callOf = (spec: ContainerSpec): EngineCall => ({
    engine,
    doing: `run ${commandOf(spec)}`,
    refused: 'run-failed',
  });

  return {
    removeLeftOvers: () => (cleared ??= clearLeftOvers(docker)),
    run: async (spec, { timeoutMs, signal } = {}) => {
      const call = callOf(spec);
      const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const stop = AbortSignal.any([signal, limit].filter((part) => part !== undefined));
      let container: Docker.Container | undefined;
      try {
        stop.throwIfAborted();
        const made = (container = await create(
          spec,
          { stdin: spec.stdin !== undefined, tty: false, logs: false },
          stop,
        ));
        return await untilAborted(stop, () => runToEnd(made, spec));
      } catch (thrown) {
        if (signal?.aborted === true) throw cancelledError(call.doing, engine);
        if (limit?.aborted === true)
          throw new CcpError({
            code: 'timeout',
            message: `${commandOf(spec)} did not finish within ${timeoutMs} ms`,
          });
        throw runError(thrown, call);
      } finally {
        if (container !== undefined) await drop(container);
      }
    },
    start: async (spec) => {
      let container: Docker.Container | undefined;
      try {
        const made = (container = await create(spec, { stdin: false, tty: false, logs: true }));
        await made.start();
        return startedContainer(made, engine, () => containers.delete(made));
      } catch (thrown) {
        if (container !== undefined) await drop(container);
        throw runError(thrown, callOf(spec));
      }
    },
    attach: async (spec, { onSlow = () => undefined } = {}) => {
      const tty = (spec.tty ?? false) && process.stdin.isTTY && process.stdout.isTTY;
      let container: Docker.Container | undefined;
      try {
        container = await create(spec, { stdin: true, tty, logs: false });
        return await attachTerminal(container, tty, onSlow);
      } catch (thrown) {
        throw runError(thrown, callOf(spec));
      } finally {
        if (container !== undefined) await drop(container);
      }
    },
    close: async () => {
      await Promise.all([...containers].map(drop));
    },
  };
}

async function runToEnd(
  container: Docker.Container,
  spec: ContainerSpec,
): Promise<ContainerResult> {
  const stream = (await container.attach({
    stream: true,
    stdin: spec.stdin !== undefined,
    stdout: true,
    stderr: true,
    hijack: true,
  })) as Duplex;
  const output = collectStreams(stream, spec.stdin, commandOf(spec));
  output.catch(() => undefined);
  await container.start();
  return { ...(await output), exitCode: (await container.wait()).StatusCode as number };
}

/** Rejects as soon as the signal is aborted; the result of `work` is then ignored. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function clearLeftOvers(docker: Docker): Promise<void> {
  for (const { Id, Labels } of await docker.listContainers({
    all: true,
    filters: { label: [RUN_LABEL] },
  })) {
    if (hasRunEnded(Labels[RUN_LABEL] ?? '')) await removeContainer(docker.getContainer(Id));
  }
}

function commandOf(spec: ContainerSpec): string {
  const words = [...(spec.entrypoint ?? []), ...(spec.command ?? [])]
    .join(' ')
    .replaceAll(/\s+/g, ' ');
  const command = words.length > 120 ? `${words.slice(0, 120)}…` : words;
  return command === '' ? spec.image : `"${command}" in ${spec.image}`;
}

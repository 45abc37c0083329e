import { omitUndefined } from '#core';
import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { ContainerResult, RunningContainer } from '#ports';
import { collectOutput, splitOutput } from './container-output.ts';
import { engineError, statusOf, type EngineCall } from './engine-error.ts';

/** Maximum bytes of one output stream. */
const OUTPUT_LIMIT = 32 * 2 ** 20;

/**
 * Stops and removes a container with its anonymous volumes. A missing container is not an error.
 */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (thrown) {
    const status = statusOf(thrown);
    if (status !== 404 && status !== 409) throw thrown;
  }
}

/**
 * Sends stdin and collects stdout and stderr of a container or of a command in it. Call it before
 * the start, so that no output is lost.
 */
export async function collectStreams(
  stream: Duplex,
  stdin: string | undefined,
  label: string,
): Promise<{ stdout: string; stderr: string }> {
  // On some engines, an end without a write closes the whole hijacked connection.
  if (stdin !== undefined) stream.end(stdin);
  try {
    return await collectOutput(splitOutput(stream), OUTPUT_LIMIT, label);
  } finally {
    stream.destroy();
  }
}

/** The port's view of a started container. `forget` is called after its removal. */
export function startedContainer(
  container: Docker.Container,
  engine: string,
  forget: () => void,
): RunningContainer {
  const short = container.id.slice(0, 12);
  const request = async <T>(doing: string, send: () => Promise<T>): Promise<T> => {
    const call: EngineCall = {
      engine,
      doing: `${doing} container ${short}`,
      refused: 'run-failed',
    };
    return send().catch((thrown: unknown) => Promise.reject(engineError(thrown, call)));
  };
  return {
    id: container.id,
    exec: (command, options = {}) =>
      request('run a command in', () => execute(container, command, options)),
    logs: () =>
      request('read the output of', async () => {
        const kept = await container.logs({ stdout: true, stderr: true, follow: false });
        const pieces: Uint8Array[] = [];
        for await (const { bytes } of splitOutput(once(kept))) pieces.push(bytes);
        return Buffer.concat(pieces).toString();
      }),
    wait: () => request('wait for', async () => (await container.wait()).StatusCode as number),
    signal: (name) => request('signal', async () => void (await container.kill({ signal: name }))),
    remove: () =>
      request('remove', async () => {
        await removeContainer(container);
        forget();
      }),
  };
}

async function execute(
  container: Docker.Container,
  command: readonly string[],
  options: { readonly user?: string; readonly stdin?: string },
): Promise<ContainerResult> {
  const exec = await container.exec({
    Cmd: [...command],
    AttachStdin: options.stdin !== undefined,
    AttachStdout: true,
    AttachStderr: true,
    ...omitUndefined({ User: options.user }),
  });
  const stream = await exec.start({ hijack: true, stdin: options.stdin !== undefined });
  const output = await collectStreams(stream, options.stdin, command.join(' '));
  return { exitCode: (await exec.inspect()).ExitCode ?? -1, ...output };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { ContainerResult, RunningContainer } from '#ports';
import { collectOutput, splitOutput } from './container-output.ts';
import { engineError, statusOf, type EngineCall } from './engine-error.ts';

/** Bytes of one stream of output that are kept. */
const OUTPUT_LIMIT = 32 * 2 ** 20;

/** Ends and removes a container with its anonymous volumes; no error where it is gone or going. */
export async function removeContainer(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (thrown) {
    const status = statusOf(thrown);
    if (status !== 404 && status !== 409) throw thrown;
  }
}

/** Joins stdin, stdout and stderr of a container or of a command in it. Nothing is lost where this comes before its start. */
export async function talk(stream: Duplex, stdin: string | undefined, what: string): Promise<{ stdout: string; stderr: string }> {
  // An end without a write would close the whole hijacked connection on some engines; a container without stdin ignores it.
  if (stdin !== undefined) stream.end(stdin);
  try {
    return await collectOutput(splitOutput(stream), OUTPUT_LIMIT, what);
  } finally {
    stream.destroy();
  }
}

/** A started container as the port has it. `forget` is called once it is removed. */
export function startedContainer(container: Docker.Container, engine: string, forget: () => void): RunningContainer {
  const short = container.id.slice(0, 12);
  const asking = async <T>(doing: string, ask: () => Promise<T>): Promise<T> => {
    const call: EngineCall = { engine, doing: `${doing} container ${short}`, refused: 'run-failed' };
    return ask().catch((thrown: unknown) => Promise.reject(engineError(thrown, call)));
  };
  return {
    id: container.id,
    exec: (command, options = {}) => asking('run a command in', () => execute(container, command, options)),
    logs: () =>
      asking('read the output of', async () => {
        const kept = await container.logs({ stdout: true, stderr: true, follow: false });
        const pieces: Uint8Array[] = [];
        for await (const { bytes } of splitOutput(once(kept))) pieces.push(bytes);
        return Buffer.concat(pieces).toString();
      }),
    wait: () => asking('wait for', async () => (await container.wait()).StatusCode as number),
    signal: (name) => asking('signal', async () => void (await container.kill({ signal: name }))),
    remove: () =>
      asking('remove', async () => {
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
    ...(options.user === undefined ? {} : { User: options.user }),
  });
  const stream = await exec.start({ hijack: true, stdin: options.stdin !== undefined });
  const output = await talk(stream, options.stdin, command.join(' '));
  return { exitCode: (await exec.inspect()).ExitCode ?? -1, ...output };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { splitOutput } from './container-output.ts';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Starts a created container on this process's stdin, stdout and stderr; resolves with the exit code. With a terminal, keys
 * go to it raw and its size follows ours; without one, the first signal to this process is passed on and the second kills,
 * since the first process of a container ignores what it has no handler for.
 */
export async function attachTerminal(container: Docker.Container, tty: boolean): Promise<number> {
  const stream = (await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true })) as Duplex;
  const resize = (): void => {
    container.resize({ w: process.stdout.columns, h: process.stdout.rows }).catch(() => undefined);
  };
  let signals = 0;
  const handlers = FORWARDED.map((signal) => ({
    signal,
    handle: (): void => void container.kill({ signal: (signals += 1) === 1 ? signal : 'SIGKILL' }).catch(() => undefined),
  }));
  try {
    if (tty) {
      process.stdin.setRawMode(true);
      process.stdout.on('resize', resize);
    } else for (const { signal, handle } of handlers) process.on(signal, handle);
    await container.start();
    if (tty) resize();
    process.stdin.pipe(stream);
    if (tty) for await (const bytes of stream) process.stdout.write(bytes);
    else for await (const { stream: name, bytes } of splitOutput(stream)) process[name].write(bytes);
    return (await container.wait()).StatusCode as number;
  } finally {
    process.stdin.unpipe(stream);
    process.stdin.pause();
    if (tty) process.stdin.setRawMode(false);
    process.stdout.off('resize', resize);
    for (const { signal, handle } of handlers) process.off(signal, handle);
    stream.destroy();
  }
}

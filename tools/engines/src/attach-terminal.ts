import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { splitOutput } from './container-output.ts';
import { endOnSignal } from './end-on-signal.ts';

/**
 * Starts a created container with this process's stdin, stdout and stderr. Resolves with the exit
 * code. With a terminal, keys are sent raw and the container's terminal follows the window size.
 * Signals to this process stop the container, see `endOnSignal`. `onSlow` is called when a
 * container does not stop in time; the exit code is then 128 plus the signal's number.
 */
export async function attachTerminal(
  container: Docker.Container,
  tty: boolean,
  onSlow: () => void,
): Promise<number> {
  const stream = (await container.attach({
    stream: true,
    stdin: true,
    stdout: true,
    stderr: true,
    hijack: true,
  })) as Duplex;
  const resize = (): void => {
    container.resize({ w: process.stdout.columns, h: process.stdout.rows }).catch(() => undefined);
  };
  const end = endOnSignal(container, onSlow);
  try {
    if (tty) {
      process.stdin.setRawMode(true);
      process.stdout.on('resize', resize);
    }
    await container.start();
    end.started();
    if (tty) resize();
    process.stdin.pipe(stream);
    if (tty) {
      process.stdin.on('data', end.keys);
      for await (const bytes of stream) {
        end.output(bytes as Uint8Array);
        process.stdout.write(bytes as Uint8Array);
      }
    } else
      for await (const { stream: name, bytes } of splitOutput(stream)) process[name].write(bytes);
    const { StatusCode } = (await container.wait()) as { readonly StatusCode: number };
    return end.exitCode() ?? StatusCode;
  } finally {
    end.done();
    process.stdin.off('data', end.keys);
    process.stdin.unpipe(stream);
    process.stdin.pause();
    if (tty) process.stdin.setRawMode(false);
    process.stdout.off('resize', resize);
    stream.destroy();
  }
}

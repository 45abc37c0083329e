import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { splitOutput } from './container-output.ts';
import { endOnSignal } from './end-on-signal.ts';

/**
 * Starts a created container on this process's stdin, stdout and stderr; resolves with the exit code. With a terminal, keys
 * go to it raw and its size follows ours. Signals to this process end it (`endOnSignal`): 128 and the signal's number where it
 * did not end by itself, and `onSlow` is called.
 */
export async function attachTerminal(container: Docker.Container, tty: boolean, onSlow: () => void): Promise<number> {
  const stream = (await container.attach({ stream: true, stdin: true, stdout: true, stderr: true, hijack: true })) as Duplex;
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
        end.answer(bytes as Uint8Array);
        process.stdout.write(bytes as Uint8Array);
      }
    } else for await (const { stream: name, bytes } of splitOutput(stream)) process[name].write(bytes);
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

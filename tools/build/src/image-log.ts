import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { redact } from '#core';
import type { Clock } from './types.ts';

/** Lines kept for the failure's text. */
const KEPT_LINES = 20;

/** The log file of one image: a line each, with the time since the start and the step it belongs to. */
export interface ImageLog {
  /** Absolute path. */
  readonly path: string;
  /** Text of a step as it comes; cut into lines here, also where a line comes in pieces. */
  write(step: string, text: string): void;
  /** The last lines, without times. */
  tail(): readonly string[];
  /** Writes all that is left; later calls of `write` are lost. Raises the file's error, once. */
  close(): Promise<void>;
}

/** Starts the log file anew, with its folder. */
export async function openImageLog(path: string, clock: Clock): Promise<ImageLog> {
  await mkdir(dirname(path), { recursive: true });
  const file = createWriteStream(path);
  let fault: Error | undefined;
  file.on('error', (error) => { fault = error; });
  const start = clock.now();
  const open = new Map<string, string>();
  const last: string[] = [];
  const line = (step: string, text: string): void => {
    const clean = redact(text.replace(/^.*\r(?=.)/, '').replace(/\r$/, ''));
    last.push(clean);
    if (last.length > KEPT_LINES) last.shift();
    file.write(`${((clock.now() - start) / 1000).toFixed(3).padStart(9)} [${step}] ${clean}\n`);
  };
  return {
    path,
    write: (step, text) => {
      const lines = ((open.get(step) ?? '') + text).split('\n');
      open.set(step, lines.pop()!);
      for (const whole of lines) line(step, whole);
    },
    tail: () => [...last],
    close: async () => {
      for (const [step, rest] of open) if (rest !== '') line(step, rest);
      open.clear();
      await new Promise<void>((resolve) => (file.closed ? resolve() : file.once('close', resolve).end()));
      if (fault !== undefined) throw fault;
    },
  };
}

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault, messageOf, redact } from '#core';
import type { Clock } from './types.ts';

/** Longest line that is kept whole, UTF-16 units; the rest of a longer one is cut into lines of its own. */
const MAX_LINE = 16_384;
/** Lines kept for the failure's text. */
const KEPT_LINES = 20;

/** The log file of one image: a line each, with the seconds since the start and the step it belongs to. */
export interface ImageLog {
  /** Text of a step as it comes; cut into lines here, also where a line comes in pieces. */
  write(step: string, text: string): void;
  /** A line about the step itself, not part of `tail`. */
  note(step: string, text: string): void;
  /** The last lines of output, without times. */
  tail(): readonly string[];
  /** Writes what is left of unfinished lines; what comes later, of a build that was given up, is dropped. */
  close(): void;
}

/**
 * Starts the log file anew, with its folder; raises what `fileFault` says. Lines are in the file as soon as they are written, so
 * that a killed run leaves them. A disk that fills up later costs lines of the log, not the build; `onLost` hears of the first.
 */
export function openImageLog(path: string, clock: Clock, onLost: (message: string) => void = () => undefined): ImageLog {
  let file: number | undefined = openAnew(path);
  const start = clock.now();
  const open = new Map<string, string>();
  const last: string[] = [];
  let isWhole = true;
  const put = (step: string, lines: readonly string[]): void => {
    if (file === undefined) return;
    const prefix = `${((clock.now() - start) / 1000).toFixed(3).padStart(9)} [${step}] `;
    const bytes = Buffer.from(lines.map((line) => `${prefix}${line}\n`).join(''));
    try {
      // What a disk that fills up does not take of a write is told by the next one.
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    } catch (thrown) {
      if (isWhole) onLost(messageOf(fileFault(thrown, 'write', path)));
      isWhole = false;
    }
  };
  const write = (step: string, text: string): void => {
    // What is there already is not read again for each piece that comes.
    const lines = text.split('\n');
    lines[0] = (open.get(step) ?? '') + lines[0]!;
    const unfinished = lines.pop()!;
    const rest = text.includes('\r') ? shownOf(unfinished) : unfinished;
    open.set(step, rest.length > MAX_LINE ? '' : rest);
    if (rest.length > MAX_LINE) lines.push(rest);
    const clean = lines.map(cleanLine);
    last.push(...clean);
    last.splice(0, last.length - KEPT_LINES);
    put(step, clean);
  };
  return {
    write,
    note: (step, text) => put(step, [redact(text)]),
    tail: () => [...last],
    close: () => {
      for (const [step, rest] of open) if (rest !== '') write(step, '\n');
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function openAnew(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (thrown) {
    throw fileFault(thrown, 'write', path);
  }
}

/** The line as a terminal would leave it. */
function cleanLine(line: string): string {
  return redact(shownOf(line).replace(/\r$/, ''));
}

/** What is left of a line after its carriage returns, the last ones kept: text that comes may overwrite it. */
function shownOf(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end + 1);
}

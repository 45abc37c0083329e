import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { escapeUnsafe, fileFault, messageOf, redact } from '#core';
import type { Clock } from '#ports';

/** Maximum length of a line in UTF-16 units; longer lines are split. */
const MAX_LINE = 16_384;
/** Number of lines that `tail` returns. */
const KEPT_LINES = 20;

/** The log file of an image; each line has the seconds since the start and the step. */
export interface ImageLog {
  /** Adds a step's output, in pieces of any size; it is split into lines here. */
  write(step: string, text: string): void;
  /** Adds a line about the step itself, which is not in `tail`. */
  note(step: string, text: string): void;
  /** The last lines of output, without times and steps. */
  tail(): readonly string[];
  /** Writes incomplete lines and closes the file; later output of a cancelled build is dropped. */
  close(): void;
}

/**
 * Creates the log file and its folder; throws the errors of `fileFault`. Lines are written
 * immediately, so that they survive a kill. If the disk is full later, lines are lost, but the
 * build continues; `onLost` is called once.
 */
export function openImageLog(
  path: string,
  clock: Clock,
  onLost: (message: string) => void = () => undefined,
): ImageLog {
  let file: number | undefined = createFile(path);
  const start = clock.now();
  const open = new Map<string, string>();
  const last: string[] = [];
  let isComplete = true;
  const put = (step: string, lines: readonly string[]): void => {
    if (file === undefined) return;
    const prefix = `${((clock.now() - start) / 1000).toFixed(3).padStart(9)} [${step}] `;
    const bytes = Buffer.from(lines.map((line) => `${prefix}${line}\n`).join(''));
    try {
      // On a full disk `writeSync` can write only a part; the next call throws.
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    } catch (thrown) {
      if (isComplete) onLost(messageOf(fileFault(thrown, 'write', path)));
      isComplete = false;
    }
  };
  const write = (step: string, text: string): void => {
    // Only the new piece is split into lines, so that long lines do not take quadratic time.
    const lines = text.split('\n');
    lines[0] = (open.get(step) ?? '') + lines[0]!;
    const unfinished = lines.pop()!;
    const rest = text.includes('\r') ? afterReturns(unfinished) : unfinished;
    open.set(step, rest.length > MAX_LINE ? '' : rest);
    if (rest.length > MAX_LINE) lines.push(rest);
    const clean = lines.map(cleanLine);
    last.push(...clean);
    last.splice(0, last.length - KEPT_LINES);
    put(step, clean);
  };
  return {
    write,
    note: (step, text) => put(step, [escapeUnsafe(redact(text))]),
    tail: () => [...last],
    close: () => {
      for (const [step, rest] of open) if (rest !== '') write(step, '\n');
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function createFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(path, 'w');
  } catch (thrown) {
    throw fileFault(thrown, 'write', path);
  }
}

/** The line as a terminal would show it, without colours; other control characters are escaped. */
function cleanLine(line: string): string {
  return escapeUnsafe(redact(stripVTControlCharacters(afterReturns(line).replace(/\r+$/, ''))));
}

/**
 * The visible part of a line: the text after the last carriage return. Trailing returns are kept,
 * since later text can overwrite the line.
 */
function afterReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end + 1);
}

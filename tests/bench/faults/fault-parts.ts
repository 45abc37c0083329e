import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { CcpError, CcpErrors, isRecord, messageOf, parseJson } from '#core';
import { report } from '../measure.ts';

type Figures = Readonly<Record<string, unknown>>;

/** One fault with its rounds; `expect` records a sentence if a condition is false. */
export type Part = (expect: (isTrue: boolean, sentence: string) => void) => Promise<Figures>;

/**
 * Runs the named parts, or all, one after the other, and writes tests/bench/results/`name`.json.
 * Figures of other parts stay; numbers of a part in `adds` are added to those of its earlier runs.
 * Prints faults, and sets the exit code 1 if there are any.
 */
export async function runParts(
  name: string,
  parts: Readonly<Record<string, Part>>,
  selected: readonly string[],
  adds: readonly string[],
): Promise<void> {
  const faults: string[] = [];
  for (const [part, work] of Object.entries(parts)) {
    if (selected.length > 0 && !selected.includes(part)) continue;
    const start = performance.now();
    const own = faults.length;
    const figures = await work((isTrue, sentence) => {
      if (!isTrue) faults.push(`${part}: ${sentence}`);
    });
    const seconds = Math.round((performance.now() - start) / 100) / 10;
    const found = { ...figures, faults: faults.length - own, seconds };
    console.log(part, JSON.stringify(found));
    const before = earlier(name);
    const last = before[part];
    const added = adds.includes(part) && isRecord(last) ? sumOf(last, found) : found;
    report(name, { ...before, cores: cpus().length, [part]: added });
  }
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function earlier(name: string): Figures {
  const file = join(import.meta.dirname, '../results', `${name}.json`);
  const value = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined;
  return isRecord(value) ? value : {};
}

/** Adds numbers, except those with a name that ends with `Each`, which are the newest. */
function sumOf(first: Figures, second: Figures): Figures {
  return Object.fromEntries(
    Object.entries(second).map(([key, value]) => {
      const before = first[key];
      const isSum =
        typeof value === 'number' && typeof before === 'number' && !key.endsWith('Each');
      return [key, isSum ? Math.round((before + value) * 10) / 10 : value];
    }),
  );
}

/** All findings of an error, one a line; other errors are thrown. */
export function textOf(thrown: unknown): string {
  if (!(thrown instanceof CcpError)) throw thrown;
  return (thrown instanceof CcpErrors ? thrown.findings : [thrown]).map(messageOf).join('\n');
}

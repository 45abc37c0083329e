import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, isRecord, type ImageName } from '#core';
import type { DurationStore } from './types.ts';

/** Seconds assumed for an image where nothing at all was measured. */
const FIRST_GUESS = 60;
/** Weight of the newest measurement, so that one slow or cached run does not turn the order round. */
const NEWEST = 0.5;

/**
 * The durations kept in `path` for one kind of run (`scope`: series and platform). A file that is missing or cannot be read
 * as such is as an empty one, since durations only order work. `save` keeps what other scopes hold, and raises nothing.
 */
export async function openDurations(path: string, scope: string): Promise<DurationStore> {
  const known = await readDurations(path);
  const seconds = new Map(Object.entries(known[scope] ?? {}));
  return {
    measured: (image) => seconds.get(image),
    record: (image, measured) => {
      const before = seconds.get(image) ?? measured;
      seconds.set(image, Math.round((before + (measured - before) * NEWEST) * 1000) / 1000);
    },
    // A full or read-only disk costs the next run its order, and is no reason to fail this one.
    save: () => write(path, scope, seconds).catch(() => undefined),
  };
}

async function write(path: string, scope: string, seconds: ReadonlyMap<string, number>): Promise<void> {
  const scopes = { ...(await readDurations(path)), [scope]: Object.fromEntries([...seconds].sort()) };
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, `${JSON.stringify({ format: 1, scopes }, undefined, 1)}\n`);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Seconds for every image: measured, else the median of what was measured, else a first guess. */
export function estimateDurations(images: readonly ImageName[], durations: Pick<DurationStore, 'measured'>): ReadonlyMap<ImageName, number> {
  const measured = images
    .map((image) => durations.measured(image))
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
  const usual = measured[measured.length >> 1] ?? FIRST_GUESS;
  return new Map(images.map((image) => [image, durations.measured(image) ?? usual]));
}

type Scopes = Readonly<Record<string, Readonly<Record<string, number>>>>;

async function readDurations(path: string): Promise<Scopes> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (!isRecord(value) || value['format'] !== 1 || !isRecord(value['scopes'])) return {};
    return Object.fromEntries(Object.entries(value['scopes']).map(([scope, images]) => [scope, numbersOf(images)]));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError) return {};
    throw thrown;
  }
}

function numbersOf(value: unknown): Readonly<Record<string, number>> {
  const numbers = Object.entries(isRecord(value) ? value : {}).filter(([, seconds]) => typeof seconds === 'number' && seconds >= 0);
  return Object.fromEntries(numbers) as Record<string, number>;
}

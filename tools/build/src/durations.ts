import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, isRecord, type ImageName } from '#core';
import type { DurationStore } from './types.ts';

/** Estimated seconds for an image if no image was ever measured. */
const FIRST_GUESS = 60;
/**
 * Weight of the newest measurement, so that a single slow or cached run does not reverse the order.
 */
const NEWEST = 0.5;

/**
 * Opens the durations in `path` for one `scope` (series and platform). A missing or invalid file is
 * empty, since durations only order work. `save` keeps the durations of other scopes, and never
 * rejects.
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
    // A full or read-only disk must not fail the run; the next run only has a worse order.
    save: () => write(path, scope, seconds).catch(() => undefined),
  };
}

async function write(
  path: string,
  scope: string,
  seconds: ReadonlyMap<string, number>,
): Promise<void> {
  const scopes = {
    ...(await readDurations(path)),
    [scope]: Object.fromEntries([...seconds].sort(([one], [other]) => (one < other ? -1 : 1))),
  };
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, `${JSON.stringify({ format: 1, scopes }, undefined, 1)}\n`);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Seconds for each image: measured, else the median of the measured ones, else a fixed guess. */
export function estimateDurations(
  images: readonly ImageName[],
  durations: Pick<DurationStore, 'measured'>,
): ReadonlyMap<ImageName, number> {
  const measured = images
    .map((image) => durations.measured(image))
    .filter((value) => value !== undefined)
    .sort((a, b) => a - b);
  const median = measured[measured.length >> 1] ?? FIRST_GUESS;
  return new Map(images.map((image) => [image, durations.measured(image) ?? median]));
}

type Scopes = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** Maximum size of the file, which has kilobytes. Pipes, devices and larger files are ignored. */
const MAX_BYTES = 16 << 20;

async function readState(path: string): Promise<string> {
  const stat = await lstat(path);
  return stat.isFile() && stat.size <= MAX_BYTES ? await readFile(path, 'utf8') : '{}';
}

async function readDurations(path: string): Promise<Scopes> {
  try {
    const value: unknown = JSON.parse(await readState(path));
    if (!isRecord(value) || value['format'] !== 1 || !isRecord(value['scopes'])) return {};
    return Object.fromEntries(
      Object.entries(value['scopes']).map(([scope, images]) => [scope, numbersOf(images)]),
    );
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError) return {};
    throw thrown;
  }
}

function numbersOf(value: unknown): Readonly<Record<string, number>> {
  const numbers = Object.entries(isRecord(value) ? value : {}).filter(
    ([, seconds]) => typeof seconds === 'number' && seconds >= 0,
  );
  return Object.fromEntries(numbers) as Record<string, number>;
}

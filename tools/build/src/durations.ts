import { lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, isRecord } from '#core';
import type { DurationStore } from './types.ts';

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
  const scopes = sorted({
    ...(await readDurations(path)),
    [scope]: sorted(Object.fromEntries(seconds)),
  });
  const draft = `${path}.${process.pid}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, `${JSON.stringify({ format: 1, scopes }, undefined, 2)}\n`);
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

type Scopes = Readonly<Record<string, Readonly<Record<string, number>>>>;

/**
 * Opens the committed durations of `files`, earlier files first: for the scope, or else for another
 * one. Missing or invalid files are empty.
 */
export async function openCommitted(
  files: readonly string[],
  scope: string,
): Promise<(image: string) => number | undefined> {
  const tables = await Promise.all(files.map(readDurations));
  const ordered = [
    ...tables.map((table) => table[scope] ?? {}),
    ...tables.flatMap((table) => Object.values(table)),
  ];
  return (image) => ordered.find((known) => Object.hasOwn(known, image))?.[image];
}

/** Replaces the durations of one scope in a committed file. Throws the errors of writing. */
export async function writeCommitted(
  path: string,
  scope: string,
  seconds: Readonly<Record<string, number>>,
): Promise<void> {
  await write(path, scope, new Map(Object.entries(seconds)));
}

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

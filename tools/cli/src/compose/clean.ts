import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type Fingerprint } from '#core';
import { prunePrivateEngine, stopPrivateEngine } from '#engines';
import { readBounded } from '#host';
import type { ImageStore } from '#ports';
import { parseImageSet } from '#release';
import { forgetAddresses, openStore, unservedAddresses } from '#store';
import { megabytes } from '../report/text.ts';
import type { StatePaths } from '../state/paths.ts';

/**
 * Stops the private engine and deletes its data, or deletes its build cache; `freed` is as the
 * engine reports it.
 */
export async function cleanEngine(
  folder: string,
  end: boolean,
  say: (sentence: string) => void,
): Promise<{ readonly said: string; readonly freed: number }> {
  if (end)
    return {
      said: (await stopPrivateEngine(folder, { drop: true, say }))
        ? 'the private engine was stopped'
        : 'no private engine is running',
      freed: 0,
    };
  const freed = await prunePrivateEngine(folder);
  return {
    said:
      freed === undefined
        ? 'no private engine is running'
        : `${megabytes(freed)} freed on the private engine`,
    freed: freed ?? 0,
  };
}

/** Removes image names at these addresses from engines; resolves with whether all did. */
type Forget = (addresses: readonly string[]) => Promise<boolean>;

interface Cleaned {
  readonly freed: number;
  readonly kept: number;
}

/**
 * Opens the store even on a full disk: deletes old logs first, then the memo, which only slows the
 * next run.
 */
async function openToClean(paths: StatePaths): Promise<ImageStore> {
  dropOldLogs(paths.logFolder);
  return openStore({ folder: paths.store }).catch((thrown: unknown) => {
    if (codeOf(thrown) !== 'store-full') throw thrown;
    rmSync(paths.memo, { force: true });
    return openStore({ folder: paths.store });
  });
}

export async function dropUnnamed(paths: StatePaths, forget: Forget): Promise<Cleaned> {
  const store = await openToClean(paths);
  try {
    const keep = new Set<Fingerprint>();
    for (const file of existsSync(paths.sets) ? readdirSync(paths.sets) : []) {
      const path = join(paths.sets, file);
      if (file.endsWith('.json'))
        for (const { fingerprint } of parseImageSet(readBounded(path).toString(), path).images)
          keep.add(fingerprint);
    }
    const freed = await store.collect(keep);
    const dead = await unservedAddresses(paths.store);
    if (await forget([store.address, ...dead])) forgetAddresses(paths.store, dead);
    return { freed, kept: keep.size };
  } finally {
    await store.close();
  }
}

/** Deletes all logs except those of the last run. */
function dropOldLogs(folder: string): void {
  for (const run of existsSync(folder) ? readdirSync(folder).sort().slice(0, -1) : [])
    rmSync(join(folder, run), { recursive: true, force: true });
}

/**
 * Opens the store first, so that the store of another run is not deleted. A damaged store, or an
 * unlocked one on a full disk, is not in use.
 */
export async function dropState(paths: StatePaths, forget: Forget): Promise<Cleaned> {
  const store = await openToClean(paths).catch((thrown: unknown) => {
    const full = codeOf(thrown) === 'store-full' && !existsSync(join(paths.store, 'lock'));
    if (!full && codeOf(thrown) !== 'store-corrupt') throw thrown;
    return undefined;
  });
  try {
    await forget([
      ...(store === undefined ? [] : [store.address]),
      ...(await unservedAddresses(paths.store)),
    ]);
    return { freed: sizeOf(paths.folder), kept: 0 };
  } finally {
    rmSync(paths.folder, { recursive: true, force: true });
    await store?.close();
  }
}

/** Bytes of the files below a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce(
    (sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size,
    0,
  );
}

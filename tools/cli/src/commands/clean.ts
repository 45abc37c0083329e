import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isClusterRunning } from '#cluster';
import { CcpError, codeOf, counted, type Fingerprint } from '#core';
import { prunePrivateEngine, stopPrivateEngine } from '#engines';
import { openMemo, readBounded, requireWritable } from '#host';
import type { ImageStore } from '#ports';
import { parseImageSet } from '#release';
import { unservedAddresses, forgetAddresses, openStore } from '#store';
import type { CommandContext } from '../command.ts';
import { engineFolder } from '../compose/engines.ts';
import { forgetOnEngines } from '../compose/forget-on-engines.ts';
import { readSettings } from '../compose/settings.ts';
import { EXIT } from '../report/exit-codes.ts';
import { statePaths, type StatePaths } from '../state/paths.ts';

export interface CleanFlags {
  readonly all?: boolean;
  readonly buildCache?: boolean;
  readonly engine?: boolean;
}

/**
 * `ccp clean`: deletes stored images that are in no image set, old logs, and image names on running
 * engines, which can pull the images again. `--all` deletes the state folder, even a damaged one. The
 * private engine serves all workspaces of its user: only `--build-cache` deletes its build cache, and
 * only `--engine` stops it and deletes its data, unless another run uses it. With either flag nothing
 * else is deleted, except with `--all`. Reads no definitions.
 */
export async function clean(
  { root, output }: CommandContext,
  _names: readonly string[],
  { all, buildCache, engine }: CleanFlags,
): Promise<number> {
  const paths = statePaths(root);
  if (all === true && isClusterRunning(paths.cluster))
    throw new CcpError({
      code: 'cluster-runs',
      message: 'the cluster of this workspace is running',
      hint: 'stop it with `ccp down`',
    });
  const settings = readSettings(root, openMemo(paths.memo));
  if (engine === true || buildCache === true) {
    const cleaned = await cleanEngine(engineFolder(settings), engine === true, output.info);
    if (all !== true) {
      output.result(cleaned.said, { freed: cleaned.freed });
      return EXIT.done;
    }
    output.info(cleaned.said);
  }
  if (!existsSync(paths.folder)) {
    output.result('nothing to clean', { freed: 0, kept: 0 });
    return EXIT.done;
  }
  requireWritable(
    paths.folder,
    'give this user write permission, or run the command as another user',
  );
  const forget: Forget = (addresses) => forgetOnEngines(addresses, settings, output);
  const { freed, kept } =
    all === true ? await dropState(paths, forget) : await dropUnnamed(paths, forget);
  output.result(`${megabytes(freed)} freed, ${counted(kept, 'image')} kept`, { freed, kept });
  return EXIT.done;
}

/**
 * Stops the private engine and deletes its data, or deletes its build cache; `freed` is as the
 * engine reports it.
 */
async function cleanEngine(
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

async function dropUnnamed(paths: StatePaths, forget: Forget): Promise<Cleaned> {
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
async function dropState(paths: StatePaths, forget: Forget): Promise<Cleaned> {
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

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

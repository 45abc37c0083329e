import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, counted, type Fingerprint } from '#core';
import { clusterRuns } from '#cluster';
import { prunePrivateEngine, stopPrivateEngine } from '#engines';
import { requireWritable } from '#host';
import { openMemo } from '#inputs';
import type { ImageStore } from '#ports';
import { deadAddresses, forgetAddresses, openStore } from '#store';
import { parseImageSet } from '#release';
import { engineFolder } from '../compose-engines.ts';
import { forgetOnEngines } from '../forget-on-engines.ts';
import { EXIT } from '../exit-codes.ts';
import type { CommandContext } from '../program.ts';
import { readSettings } from '../settings.ts';
import { statePaths, type StatePaths } from '../state/paths.ts';

export interface CleanFlags {
  readonly all?: boolean;
  readonly buildCache?: boolean;
  readonly engine?: boolean;
}

/**
 * `ccp clean`: keeps what the last image sets name and the logs of the last run, and drops the rest of the store and of the logs, and
 * from the engines that are there what they remember of the store, which they pull again;
 * `--all` drops the state folder, also a damaged one. The private engine serves all workspaces of its user, so it is left alone
 * unless asked: `--build-cache` drops its build cache where it runs, `--engine` ends it and drops its data, unless another run uses it;
 * nothing else is dropped then, but with `--all`. Reads no definitions.
 */
export async function clean({ root, output }: CommandContext, _names: readonly string[], { all, buildCache, engine }: CleanFlags): Promise<number> {
  const paths = statePaths(root);
  if (all === true && clusterRuns(paths.cluster))
    throw new CcpError({ code: 'cluster-runs', message: 'the cluster of this workspace runs', hint: 'end it: ccp down' });
  const settings = readSettings(root, openMemo(paths.memo));
  if (engine === true || buildCache === true) {
    const cleaned = await cleanEngine(engineFolder(settings), engine === true);
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
  requireWritable(paths.folder, 'give this user the right to write there, or run it as the user who may');
  const forget: Forget = (addresses) => forgetOnEngines(addresses, settings, output);
  const { freed, kept } = all === true ? await dropState(paths, forget) : await dropUnnamed(paths, forget);
  output.result(`${megabytes(freed)} freed, ${counted(kept, 'image')} kept`, { freed, kept });
  return EXIT.done;
}

/** Ends the private engine and drops its data, or drops its build cache alone; bytes freed are those that it told. */
async function cleanEngine(folder: string, end: boolean): Promise<{ readonly said: string; readonly freed: number }> {
  if (end) return { said: (await stopPrivateEngine(folder, { drop: true })) ? 'the private engine was ended' : 'no private engine is running', freed: 0 };
  const freed = await prunePrivateEngine(folder);
  return { said: freed === undefined ? 'no private engine is running' : `${megabytes(freed)} freed on the private engine`, freed: freed ?? 0 };
}

/** Has engines forget what can no longer be pulled at these addresses; true where all did. */
type Forget = (addresses: readonly string[]) => Promise<boolean>;

interface Cleaned {
  readonly freed: number;
  readonly kept: number;
}

/** Opens the store, also on a full disk: old logs go before and, where that is too little, the memo, which costs the next run its speed. */
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
      if (file.endsWith('.json')) for (const { fingerprint } of parseImageSet(readFileSync(path, 'utf8'), path).images) keep.add(fingerprint);
    }
    const freed = await store.collect(keep);
    const dead = await deadAddresses(paths.store);
    if (await forget([store.address, ...dead])) forgetAddresses(paths.store, dead);
    return { freed, kept: keep.size };
  } finally {
    await store.close();
  }
}

/** Drops the logs of all runs but the last one, whose paths were printed. */
function dropOldLogs(folder: string): void {
  for (const run of existsSync(folder) ? readdirSync(folder).sort().slice(0, -1) : []) rmSync(join(folder, run), { recursive: true, force: true });
}

/**
 * A store is opened so that none is taken from under a run; one that is damaged, or not held while the disk is too full to hold it,
 * is in nobody's hands.
 */
async function dropState(paths: StatePaths, forget: Forget): Promise<Cleaned> {
  const store = await openToClean(paths).catch((thrown: unknown) => {
    const full = codeOf(thrown) === 'store-full' && !existsSync(join(paths.store, 'lock'));
    if (!full && codeOf(thrown) !== 'store-corrupt') throw thrown;
    return undefined;
  });
  try {
    await forget([...(store === undefined ? [] : [store.address]), ...(await deadAddresses(paths.store))]);
    return { freed: sizeOf(paths.folder), kept: 0 };
  } finally {
    rmSync(paths.folder, { recursive: true, force: true });
    await store?.close();
  }
}

/** Bytes of the files below a folder. */
function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + lstatSync(join(parentPath, name)).size, 0);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

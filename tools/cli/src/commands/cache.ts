import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { derivedKeysOf, lockedFilesOf } from '#context';
import { CcpError, counted, type Sha256 } from '#core';
import { openCache } from '#fetch';
import { lockFileName, readLock } from '#locks';
import type { CommandContext } from '../command.ts';
import { openProject } from '../compose/plan.ts';
import { cacheFolder } from '../compose/settings.ts';

export interface CacheFlags {
  readonly days?: number;
}

const DAY_MS = 86_400_000;

/**
 * `ccp cache [prune]`: shows the size of the cache; prune deletes unused git mirrors and inputs
 * that are in no lock.
 */
export async function cache(
  { root, output, flags }: CommandContext,
  [action = 'show']: readonly string[],
  { days }: CacheFlags,
): Promise<number> {
  if (action !== 'show' && action !== 'prune')
    throw new CcpError({
      code: 'usage',
      message: `unknown action "${action}"`,
      hint: 'use show or prune',
    });
  if (days !== undefined && action !== 'prune')
    throw new CcpError({
      code: 'usage',
      message: '--days is only valid with prune',
      hint: `ccp cache prune --days ${days}`,
    });
  const project = openProject(root, flags.series);
  const opened = openCache({ folder: cacheFolder(project.settings) });
  const freed =
    action === 'prune'
      ? await opened.prune({ ...lockedInputs(root), olderThanMs: (days ?? 30) * DAY_MS })
      : undefined;
  const usage = await opened.usage();
  const freedText = freed === undefined ? '' : `, ${megabytes(freed)} freed`;
  output.result(
    `${usage.folder}: ${counted(usage.entries, 'input')}, ${megabytes(usage.size)}${freedText}`,
    { ...usage, freed },
  );
  return 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}

/** Every input in a lock of any series, and the keys of files derived from them. */
function lockedInputs(root: string): {
  readonly keep: ReadonlySet<Sha256>;
  readonly keepDerived: ReadonlySet<string>;
} {
  const keep = new Set<Sha256>();
  const keepDerived = new Set<string>();
  for (const { name } of openProject(root, undefined).workspace.series) {
    const { graph, series } = openProject(root, name);
    for (const definition of graph.images.values()) {
      if (!existsSync(join(root, lockFileName(definition, series.name)))) continue;
      const lock = readLock(definition, series.name);
      for (const origin of ['archive', 'git'] as const)
        for (const { sha256 } of lockedFilesOf(lock, origin)) keep.add(sha256);
      for (const key of derivedKeysOf(lock)) keepDerived.add(key);
    }
  }
  return { keep, keepDerived };
}

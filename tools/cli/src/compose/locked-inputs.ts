import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { derivedKeysOf, lockedFilesOf } from '#context';
import type { Sha256 } from '#core';
import { lockFileName, readLock } from '#locks';
import { openProject } from './plan.ts';

/** Every input in a lock of any series, and the keys of files derived from them. */
export function lockedInputs(root: string): {
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

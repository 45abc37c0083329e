import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { codeOf } from '#core';
import { MOUNT_POINTS } from '../node/prepare-namespaces.ts';
import { takenSlots } from './slots.ts';

/** The mount points that a new cluster makes, or that one made which runs: the last of them removes them. */
export function missingMountPoints(): readonly string[] {
  const shared = takenSlots().length > 0;
  return MOUNT_POINTS.filter((point) => !existsSync(point) || (shared && readdirSync(point).length === 0));
}

/** Removes what a cluster has made, unless another one runs: the kernel would take the mounts of that one away with their folder. */
export function removeMountPoints(made: readonly string[]): void {
  if (takenSlots().length > 0) return;
  for (const point of made) removeIfEmpty(point);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (thrown) {
    if (!['ENOENT', 'ENOTEMPTY', 'EBUSY'].includes(codeOf(thrown) ?? '')) throw thrown;
  }
}

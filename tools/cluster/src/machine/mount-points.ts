import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { codeOf } from '#core';
import { MOUNT_POINTS } from '../node/prepare-namespaces.ts';
import { takenSlots } from './slots.ts';

/**
 * Mount points that a new cluster must create or that a running one created: the last cluster
 * removes them.
 */
export function missingMountPoints(): readonly string[] {
  const shared = takenSlots().length > 0;
  return MOUNT_POINTS.filter(
    (point) => !existsSync(point) || (shared && readdirSync(point).length === 0),
  );
}

/**
 * Removes a cluster's mount points, unless another cluster runs: the kernel would remove its mounts
 * too.
 */
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

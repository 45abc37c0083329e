import { existsSync } from 'node:fs';
import { CcpError } from '#core';
import { nodeNames, MAX_CLUSTERS } from '../node/node-names.ts';

/** Slots of running clusters, recognised by their network links. */
export function takenSlots(): readonly number[] {
  return Array.from({ length: MAX_CLUSTERS }, (_, slot) => slot).filter((slot) =>
    existsSync(`/sys/class/net/${nodeNames(slot).link}`),
  );
}

/** The first free slot. Throws `machine-full` if all slots are taken. */
export function freeSlot(): number {
  const taken = takenSlots();
  const slot = taken.findIndex((each, index) => each !== index);
  const free = slot === -1 ? taken.length : slot;
  if (free === MAX_CLUSTERS)
    throw new CcpError({
      code: 'machine-full',
      message: `cannot start a cluster: this machine already runs ${MAX_CLUSTERS}, the maximum`,
      hint: 'stop a cluster with `ccp down`',
    });
  return free;
}

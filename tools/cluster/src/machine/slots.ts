import { existsSync } from 'node:fs';
import { CcpError } from '#core';
import { nodeNames, SLOTS } from '../node/node-names.ts';

/** The numbers of the clusters that run on this machine: those whose link is there. */
export function takenSlots(): readonly number[] {
  return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => existsSync(`/sys/class/net/${nodeNames(slot).link}`));
}

/** The first number that no cluster of this machine has. Raises `machine-full` where each has one. */
export function freeSlot(): number {
  const taken = takenSlots();
  const slot = taken.findIndex((each, index) => each !== index);
  const free = slot === -1 ? taken.length : slot;
  if (free === SLOTS) throw new CcpError({ code: 'machine-full', message: `${SLOTS} clusters run on this machine`, hint: 'end one: ccp down' });
  return free;
}

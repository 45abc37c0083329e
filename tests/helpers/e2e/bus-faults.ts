import { setTimeout as delay } from 'node:timers/promises';
import type { BusSite } from './bus-site.ts';

/** Kills members and starts them again, those of `lost` with an empty volume. */
export async function killed(
  { replicas, start }: BusSite,
  members: readonly number[],
  lost: readonly number[] = [],
): Promise<void> {
  await replicas.kill(...members);
  for (const member of lost) replicas.lose(member);
  await start(...members);
}

/** Ends members in order, each after a pause, and starts them again. */
export async function stopped(
  { replicas, start }: BusSite,
  members: readonly number[],
  apartMs: number,
): Promise<void> {
  await Promise.all(
    members.map(async (member, index) => {
      await delay(index * apartMs);
      await replicas.stop(member);
    }),
  );
  await start(...members);
}

/** Cuts the network between members for some time. */
export async function cutOff(
  { cut }: BusSite,
  sides: readonly (readonly number[])[],
  milliseconds: number,
): Promise<void> {
  const heal = cut(sides);
  await delay(milliseconds);
  heal();
}

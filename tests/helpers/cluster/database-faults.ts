import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseSite } from './database-site.ts';

const MB = 1024 * 1024;
const WAIT_MS = 180_000;

/** Drops packets between members of different sides; the result heals the cut. */
export async function cutNetwork(
  { address, processes }: DatabaseSite,
  sides: readonly (readonly string[])[],
): Promise<() => void> {
  const placed = await Promise.all(
    sides.map(async (side) => await Promise.all(side.map((member) => address(member)))),
  );
  const rules = placed.flatMap((side, index) =>
    placed.flatMap((other, at) =>
      at === index
        ? []
        : side.flatMap((from) => other.map((to) => ['-s', from, '-d', to, '-j', 'DROP'])),
    ),
  );
  for (const rule of rules) processes.run('iptables', '-I', 'FORWARD', ...rule);
  return () => {
    for (const rule of rules) processes.run('iptables', '-D', 'FORWARD', ...rule);
  };
}

/** Loses a member's volume and waits until another member sends it all data; the name of that member. */
export async function startTransfer(site: DatabaseSite, to: string): Promise<string> {
  await addBallast(site, 20);
  await site.killAndLose([to], [to]);
  const others = site.members().filter((member) => member !== to);
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(50)) {
    for (const member of others) {
      const state = await site.client
        .query("SHOW STATUS LIKE 'wsrep_local_state'", site.host(member))
        .catch(() => []);
      if (state[0]?.[1] === '2') return member;
    }
  }
  throw new Error(`no member sent its data to ${to}`);
}

/** Adds `count` rows of 8 MB. */
async function addBallast({ client }: DatabaseSite, count: number): Promise<void> {
  for (let row = 0; row < count; row++)
    await client.query(
      `INSERT INTO probe.ballast (bytes) VALUES (RANDOM_BYTES(1024)), (REPEAT(MD5(RAND()), ${(8 * MB) / 32}))`,
    );
}

/** Gives a member an empty volume of 2 GB with its own file system. */
export async function mountSmallDisk(
  site: DatabaseSite,
  member: string,
): Promise<{ remove(): Promise<void> }> {
  const { run } = site.processes;
  const file = join(site.node.folder, `${member}.disk`);
  run('truncate', '--size', '2G', file);
  run('mkfs.ext4', '-q', '-F', file);
  const folder = site.claim(member);
  run('mount', '-o', 'loop', file, folder);
  run('chmod', '0777', folder);
  await site.deletePods([member], 0);
  return {
    remove: async () => {
      // The member finds the folder below, with its data of before.
      run('umount', '--lazy', folder);
      await site.deletePods([member], 0);
      await site.together();
      rmSync(file);
    },
  };
}

/** Fills a member's disk to the last byte; the result frees it. */
export function fillDisk({ claim, processes: { run } }: DatabaseSite, member: string): () => void {
  const file = join(claim(member), 'filler');
  try {
    run('dd', 'if=/dev/zero', `of=${file}`, 'bs=1M', 'status=none');
  } catch {
    // No space is left.
  }
  return () => void run('rm', file);
}

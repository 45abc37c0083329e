import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseSite } from './database-site.ts';

const MB = 1024 * 1024;
const DISK_MB = 2048;
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

/**
 * Loses a member's volume and waits until another member sends it all data; the name of that
 * member.
 */
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

/** A volume of its own for one member, small enough to be filled. */
export interface SmallDisk {
  /** Fills the disk to the last byte. */
  fill(): void;
  free(): void;
  /** The member gets its former volume back, with its data of then. */
  remove(): Promise<void>;
}

/**
 * Gives a member an empty volume of 2 GB with its own file system, whose image is the only file
 * that grows on this machine.
 */
export async function mountSmallDisk(site: DatabaseSite, member: string): Promise<SmallDisk> {
  const { run } = site.processes;
  const image = join(site.node.folder, `${member}.disk`);
  const folder = await site.claim(member);
  // A mount below a running pod would go away with the pod.
  await site.scale(0);
  run('truncate', '--size', `${DISK_MB}M`, image);
  run('mkfs.ext4', '-q', '-F', image);
  run('mount', '-o', 'loop', image, folder);
  run('chmod', '0777', folder);
  await site.scale(3);
  const filler = join(folder, 'filler');
  return {
    fill: () => {
      // Without the mount, the machine's own disk would be filled.
      run('mountpoint', '--quiet', folder);
      try {
        run('dd', 'if=/dev/zero', `of=${filler}`, 'bs=1M', `count=${DISK_MB}`, 'status=none');
      } catch {
        // No space is left.
      }
    },
    free: () => void run('rm', '--force', filler),
    remove: async () => {
      await site.scale(0);
      run('umount', folder);
      await site.scale(3);
      rmSync(image);
    },
  };
}

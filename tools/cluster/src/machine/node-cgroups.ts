import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '#core';

const ROOT = '/sys/fs/cgroup';
const REMOVE_MS = 20_000;

/**
 * Creates the control group `name` in every hierarchy: one in version 2, one per controller in
 * version 1.
 */
export function createCgroups(name: string): void {
  for (const hierarchy of hierarchies()) {
    const folder = join(hierarchy, name);
    mkdirSync(folder, { recursive: true });
    // A new cpuset group of version 1 has no CPUs or memory nodes until they are set.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const value =
        hierarchy === ROOT || !existsSync(join(hierarchy, file))
          ? undefined
          : readFileSync(join(hierarchy, file), 'utf8');
      if (value !== undefined) writeFileSync(join(folder, file), value);
    }
  }
}

/**
 * Removes the control group `name` and its children after their processes have exited. False if
 * they remain after 20 s.
 */
export async function removeCgroups(name: string): Promise<boolean> {
  for (const until = Date.now() + REMOVE_MS; ; await delay(100)) {
    const left = hierarchies()
      .map((hierarchy) => join(hierarchy, name))
      .filter((folder) => existsSync(folder) && !removeTree(folder));
    if (left.length === 0) return true;
    if (Date.now() > until) return false;
  }
}

function hierarchies(): readonly string[] {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT];
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(ROOT, name));
}

/** Removes empty groups, the deepest first. Returns whether all were removed. */
function removeTree(folder: string): boolean {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    if (!below.map(({ name }) => removeTree(join(folder, name))).every(Boolean)) return false;
    rmdirSync(folder);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return true;
    if (codeOf(thrown) === 'EBUSY' || codeOf(thrown) === 'ENOTEMPTY') return false;
    throw thrown;
  }
}

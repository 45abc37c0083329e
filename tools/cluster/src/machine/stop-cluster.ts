import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { withName } from '#engines';
import { nodeFolders } from '../node/node-folders.ts';
import { nodeNames } from '../node/node-names.ts';
import { runCommand } from '../run-command.ts';
import { isAlive, readState, type ProcessRef } from './cluster-state.ts';
import { removeMountPoints } from './mount-points.ts';
import { removeCgroups } from './node-cgroups.ts';

const END_MS = 20_000;

/**
 * Ends the cluster of a folder and removes all that was made for it, its data too; resolves with whether it ran. Raises
 * `cluster-failed` where something cannot be removed.
 */
export async function stopCluster(folder: string): Promise<boolean> {
  rmSync(nodeFolders(folder).failed, { recursive: true, force: true });
  return await withName('ccp-cluster', async () => await clearCluster(folder));
}

/** Whether the cluster of a folder runs. */
export function clusterRuns(folder: string): boolean {
  const keeper = readState(nodeFolders(folder).state)?.keeper;
  return keeper !== undefined && isAlive(keeper);
}

/** As `stopCluster`, for who holds the name already. */
export async function clearCluster(folder: string): Promise<boolean> {
  const state = readState(nodeFolders(folder).state);
  const runs = state?.keeper !== undefined && isAlive(state.keeper);
  if (state !== undefined) {
    const { link, cgroup } = nodeNames(state.slot);
    if (state.keeper !== undefined) await end(state.keeper);
    if (!(await removeCgroups(cgroup)))
      throw new CcpError({ code: 'cluster-failed', message: `processes of the cluster do not end: they are in the control group ${cgroup}` });
    // The link goes with the last process of its other end's namespace; it is only there where that one is slow to end.
    if (existsSync(`/sys/class/net/${link}`)) await runCommand('ip', ['link', 'delete', link]).catch(() => undefined);
    removeMountPoints(state.made);
  }
  rmSync(folder, { recursive: true, force: true });
  return runs;
}

/** Ends the process that keeps the namespaces; the kernel ends all others with it. */
async function end(keeper: ProcessRef): Promise<void> {
  if (isAlive(keeper)) process.kill(keeper.pid, 'SIGKILL');
  for (const until = Date.now() + END_MS; isAlive(keeper); await delay(50)) {
    if (Date.now() > until) throw new CcpError({ code: 'cluster-failed', message: `process ${keeper.pid} of the cluster does not end` });
  }
}

import { existsSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { nodeFolders } from '../node/node-folders.ts';
import { nodeNames } from '../node/node-names.ts';
import { runProgram } from '../run-program.ts';
import { withClusterLock } from './cluster-lock.ts';
import { isAlive, readState, type ProcessRef } from './cluster-state.ts';
import { removeMountPoints } from './mount-points.ts';
import { removeCgroups } from './node-cgroups.ts';

const END_MS = 20_000;

/**
 * Stops the cluster of a folder and removes its resources and data. Resolves with whether it was
 * running. Throws `cluster-failed` if a resource cannot be removed.
 */
export async function stopCluster(
  folder: string,
  say?: (sentence: string) => void,
): Promise<boolean> {
  rmSync(nodeFolders(folder).failed, { recursive: true, force: true });
  return await withClusterLock(say, async () => await removeCluster(folder));
}

/** Whether the cluster of a folder runs. */
export function isClusterRunning(folder: string): boolean {
  const keeper = readState(nodeFolders(folder).state)?.keeper;
  return keeper !== undefined && isAlive(keeper);
}

/** Like `stopCluster`, for callers that hold the cluster lock. */
export async function removeCluster(folder: string): Promise<boolean> {
  const state = readState(nodeFolders(folder).state);
  const runs = state?.keeper !== undefined && isAlive(state.keeper);
  if (state !== undefined) {
    const { link, cgroup } = nodeNames(state.slot);
    if (state.keeper !== undefined) await kill(state.keeper);
    if (!(await removeCgroups(cgroup)))
      throw new CcpError({
        code: 'cluster-failed',
        message: `processes of the cluster did not exit: see the control group ${cgroup}`,
        hint: 'kill the processes listed in its cgroup.procs files, and run the command again',
      });
    // The kernel removes the link with the last process of the other namespace, possibly with a
    // delay.
    if (existsSync(`/sys/class/net/${link}`))
      await runProgram('ip', ['link', 'delete', link]).catch(() => undefined);
    removeMountPoints(state.made);
  }
  rmSync(folder, { recursive: true, force: true });
  return runs;
}

/** Kills the process that keeps the namespaces; the kernel then kills all processes in them. */
async function kill(keeper: ProcessRef): Promise<void> {
  if (isAlive(keeper)) process.kill(keeper.pid, 'SIGKILL');
  for (const until = Date.now() + END_MS; isAlive(keeper); await delay(50)) {
    if (Date.now() > until)
      throw new CcpError({
        code: 'cluster-failed',
        message: `process ${keeper.pid} of the cluster did not exit within ${END_MS / 1000} s`,
        hint: 'wait until the process has exited, and run the command again',
      });
  }
}

import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, messageOf } from '#core';
import { connectCluster, withName } from '#engines';
import type { Cluster } from '#ports';
import { nodeFolders } from '../node/node-folders.ts';
import type { ClusterPlan } from '../node/host-cluster.ts';
import { LINK_PREFIX, NODE_NAME, nodeNames } from '../node/node-names.ts';
import { runCommand } from '../run-command.ts';
import { isAlive, processRef, readState, writeState, type ClusterState, type ProcessRef } from './cluster-state.ts';
import { missingMountPoints } from './mount-points.ts';
import { makeCgroups } from './node-cgroups.ts';
import { freeSlot } from './slots.ts';
import { clearCluster } from './stop-cluster.ts';

const READY_MS = 120_000;
const LOG_LINES = 15;

export interface StartOptions extends Pick<ClusterPlan, 'folder' | 'programs' | 'store'> {
  /** The command that hosts the cluster as process 1; it is given the plan's path, and calls `hostCluster`. */
  readonly host: readonly string[];
  readonly say: (sentence: string) => void;
}

/** A cluster that runs on. */
export interface StartedCluster {
  readonly kubeconfig: string;
  /** True where it ran already. */
  readonly reused: boolean;
}

/**
 * The cluster of a folder: the one that runs, or one started now, whose node is ready. It outlives this process. Raises
 * `cluster-failed` with the end of the log where it does not become ready; nothing is left of it then.
 */
export async function startCluster(options: StartOptions): Promise<StartedCluster> {
  const folders = nodeFolders(options.folder);
  return await withName('ccp-cluster', async () => {
    const before = readState(folders.state);
    if (before?.keeper !== undefined && isAlive(before.keeper)) {
      await awaitNode(options.folder, before);
      return { kubeconfig: folders.kubeconfig, reused: true };
    }
    await clearCluster(options.folder);
    try {
      await awaitNode(options.folder, await start(options));
    } catch (thrown) {
      const failure = failureOf(options.folder, thrown);
      await clearCluster(options.folder);
      throw failure;
    }
    return { kubeconfig: folders.kubeconfig, reused: false };
  });
}

async function start({ folder, programs, store, host, say }: StartOptions): Promise<ClusterState> {
  const folders = nodeFolders(folder);
  const names = nodeNames(freeSlot());
  say(`starting a cluster of one node, in ${folder}`);
  mkdirSync(folders.logs, { recursive: true, mode: 0o711 });
  const planned: ClusterState = { format: 1, slot: names.slot, made: missingMountPoints() };
  writeState(folders.state, planned);
  writeFileSync(folders.plan, JSON.stringify({ folder, slot: names.slot, programs, store } satisfies ClusterPlan));
  for (const point of planned.made) mkdirSync(point, { recursive: true });
  makeCgroups(names.cgroup);
  const log = openSync(folders.log, 'a', 0o600);
  const keeper = spawn('unshare', ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...host, folders.plan], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
  });
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) => keeper.once('error', reject).once('spawn', () => resolve(keeper.pid as number)));
  keeper.unref();
  const state = { ...planned, keeper: processRef(pid) };
  writeState(folders.state, state);
  await hasOwnNetwork(state.keeper);
  const ip = async (...args: readonly string[]) => await runCommand('ip', args);
  await ip('link', 'add', names.link, 'type', 'veth', 'peer', 'name', names.innerLink, 'netns', String(pid));
  await ip('address', 'add', `${names.host}/${LINK_PREFIX}`, 'dev', names.link);
  await ip('link', 'set', names.link, 'up');
  for (const range of [names.pods, names.services]) await ip('route', 'add', range, 'via', names.node, 'dev', names.link);
  return state;
}

/** Waits until a process has left this one's network namespace. */
async function hasOwnNetwork(keeper: ProcessRef): Promise<void> {
  const network = (pid: number | 'self'): string => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`);
    } catch {
      return '';
    }
  };
  for (const ours = network('self'); [ours, ''].includes(network(keeper.pid)); await delay(20)) {
    if (!isAlive(keeper)) throw new CcpError({ code: 'cluster-failed', message: 'the namespaces of the cluster could not be made' });
  }
}

/** Waits until the node is ready to run pods. */
async function awaitNode(folder: string, { keeper }: ClusterState): Promise<void> {
  const { kubeconfig } = nodeFolders(folder);
  const until = Date.now() + READY_MS;
  let missing = 'no API server';
  for (; Date.now() < until; await delay(200)) {
    if (keeper === undefined || !isAlive(keeper)) throw new CcpError({ code: 'cluster-failed', message: 'the cluster has ended' });
    if (!existsSync(kubeconfig)) continue;
    const { cluster, close } = await connectCluster({ kubeconfig, patience: { unknownMs: 0, knownMs: 0 } });
    try {
      for (; Date.now() < until && isAlive(keeper); await delay(200)) {
        missing = await missingOf(cluster).catch(messageOf);
        if (missing === '') return;
      }
    } finally {
      close();
    }
  }
  throw new CcpError({ code: 'cluster-failed', message: `the cluster is not ready after ${READY_MS / 1000} s: ${missing}` });
}

/** What a cluster still lacks before it runs pods; empty where nothing. */
async function missingOf(cluster: Cluster): Promise<string> {
  const node = await cluster.get({ apiVersion: 'v1', kind: 'Node', name: NODE_NAME });
  const { conditions = [] } = (node?.['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return ready?.message ?? 'no node';
  const account = await cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' });
  return account === undefined ? 'no service account' : '';
}

/** `thrown` with what the cluster's host has said last; the logs are kept. */
function failureOf(folder: string, thrown: unknown): CcpError {
  const { log, logs, failed } = nodeFolders(folder);
  const said = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  rmSync(failed, { recursive: true, force: true });
  renameSync(logs, failed);
  return new CcpError({
    code: 'cluster-failed',
    message: `${messageOf(thrown)}\n${said}`.trimEnd(),
    hint: `the logs of its programs are in ${failed}`,
    cause: thrown,
  });
}

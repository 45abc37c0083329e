import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, messageOf } from '#core';
import { connectCluster } from '#engines';
import type { Cluster } from '#ports';
import { nodeFolders } from '../node/node-folders.ts';
import type { ClusterPlan } from '../node/host-cluster.ts';
import { LINK_PREFIX, NODE_NAME, nodeNames } from '../node/node-names.ts';
import { runProgram } from '../run-program.ts';
import {
  isAlive,
  processRef,
  readState,
  writeState,
  type ClusterState,
  type ProcessRef,
} from './cluster-state.ts';
import { missingMountPoints } from './mount-points.ts';
import { createCgroups } from './node-cgroups.ts';
import { withClusterLock } from './cluster-lock.ts';
import { freeSlot } from './slots.ts';
import { removeCluster } from './stop-cluster.ts';

const READY_MS = 120_000;
const LOG_LINES = 15;

export interface StartOptions extends Pick<ClusterPlan, 'folder' | 'programs' | 'store'> {
  /**
   * Command of process 1 of the cluster. Its last argument is the plan's path, and it calls
   * `hostCluster`.
   */
  readonly host: readonly string[];
  readonly say: (sentence: string) => void;
}

/** A running cluster. */
export interface StartedCluster {
  readonly kubeconfig: string;
  /** Whether it was running before. */
  readonly reused: boolean;
}

/**
 * Returns the cluster of a folder with a ready node, and starts it if needed. It keeps running
 * after this process exits. If it does not become ready, it is removed and `cluster-failed` is
 * thrown with the last log lines.
 */
export async function startCluster(options: StartOptions): Promise<StartedCluster> {
  const folders = nodeFolders(options.folder);
  return await withClusterLock(options.say, async () => {
    const before = readState(folders.state);
    if (before?.keeper !== undefined && isAlive(before.keeper)) {
      await awaitNode(options.folder, before);
      return { kubeconfig: folders.kubeconfig, reused: true };
    }
    await removeCluster(options.folder);
    try {
      await awaitNode(options.folder, await start(options));
    } catch (thrown) {
      const failure = startFailure(options.folder, thrown);
      await removeCluster(options.folder);
      throw failure;
    }
    return { kubeconfig: folders.kubeconfig, reused: false };
  });
}

async function start({ folder, programs, store, host, say }: StartOptions): Promise<ClusterState> {
  const folders = nodeFolders(folder);
  const names = nodeNames(freeSlot());
  say(`starting a cluster with one node in ${folder}`);
  mkdirSync(folders.logs, { recursive: true, mode: 0o711 });
  const planned: ClusterState = { format: 1, slot: names.slot, made: missingMountPoints() };
  writeState(folders.state, planned);
  writeFileSync(
    folders.plan,
    JSON.stringify({ folder, slot: names.slot, programs, store } satisfies ClusterPlan),
  );
  for (const point of planned.made) mkdirSync(point, { recursive: true });
  createCgroups(names.cgroup);
  const log = openSync(folders.log, 'a', 0o600);
  const keeper = spawn(
    'unshare',
    ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...host, folders.plan],
    {
      detached: true,
      stdio: ['ignore', log, log],
      cwd: '/',
    },
  );
  closeSync(log);
  const pid = await new Promise<number>((resolve, reject) =>
    keeper.once('error', reject).once('spawn', () => resolve(keeper.pid as number)),
  );
  keeper.unref();
  const state = { ...planned, keeper: processRef(pid) };
  writeState(folders.state, state);
  await awaitNetworkNamespace(state.keeper);
  const ip = async (...args: readonly string[]) => await runProgram('ip', args);
  await ip(
    'link',
    'add',
    names.link,
    'type',
    'veth',
    'peer',
    'name',
    names.innerLink,
    'netns',
    String(pid),
  );
  await ip('address', 'add', `${names.host}/${LINK_PREFIX}`, 'dev', names.link);
  await ip('link', 'set', names.link, 'up');
  for (const range of [names.pods, names.services])
    await ip('route', 'add', range, 'via', names.node, 'dev', names.link);
  return state;
}

/** Waits until a process has a different network namespace than this process. */
async function awaitNetworkNamespace(keeper: ProcessRef): Promise<void> {
  const network = (pid: number | 'self'): string => {
    try {
      return readlinkSync(`/proc/${pid}/ns/net`);
    } catch {
      return '';
    }
  };
  for (const ours = network('self'); [ours, ''].includes(network(keeper.pid)); await delay(20)) {
    if (!isAlive(keeper))
      throw new CcpError({
        code: 'cluster-failed',
        message: 'cannot create the namespaces of the cluster',
      });
  }
}

/** Waits until the node is ready to run pods. */
async function awaitNode(folder: string, { keeper }: ClusterState): Promise<void> {
  const { kubeconfig } = nodeFolders(folder);
  const until = Date.now() + READY_MS;
  let missing = 'the API server does not run';
  for (; Date.now() < until; await delay(200)) {
    if (keeper === undefined || !isAlive(keeper))
      throw new CcpError({
        code: 'cluster-failed',
        message: 'the cluster stopped while it started',
      });
    if (!existsSync(kubeconfig)) continue;
    const { cluster, close } = await connectCluster({
      kubeconfig,
      retry: { unknownMs: 0, knownMs: 0 },
    });
    try {
      for (; Date.now() < until && isAlive(keeper); await delay(200)) {
        missing = await missingPart(cluster).catch(messageOf);
        if (missing === '') return;
      }
    } finally {
      close();
    }
  }
  throw new CcpError({
    code: 'cluster-failed',
    message: `the cluster is not ready after ${READY_MS / 1000} s: ${missing}`,
  });
}

/** Requirements that a cluster lacks before it can run pods; empty if it is ready. */
async function missingPart(cluster: Cluster): Promise<string> {
  const node = await cluster.get({ apiVersion: 'v1', kind: 'Node', name: NODE_NAME });
  const { conditions = [] } = (node?.['status'] ?? {}) as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message: string;
    }[];
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True') return ready?.message ?? 'the node is not registered';
  const account = await cluster.get({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    namespace: 'default',
    name: 'default',
  });
  return account === undefined ? 'the default service account does not exist' : '';
}

/**
 * `thrown` with the last log lines of the cluster's host process. Moves the logs to a folder that
 * is kept.
 */
function startFailure(folder: string, thrown: unknown): CcpError {
  const { log, logs, failed } = nodeFolders(folder);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LOG_LINES).join('\n');
  rmSync(failed, { recursive: true, force: true });
  renameSync(logs, failed);
  return new CcpError({
    code: 'cluster-failed',
    message: `${messageOf(thrown)}\n${lines}`.trimEnd(),
    hint: `read the logs of its programs in ${failed}`,
    cause: thrown,
  });
}

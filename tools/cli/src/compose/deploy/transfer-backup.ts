import { setTimeout as sleep } from 'node:timers/promises';
import { CcpError } from '#core';
import { parameterFault } from '#definitions/deploy';
import type { ExecStreams, LiveObject } from '#ports';
import { findAction, readRuns, runAsJob, type ActionRun } from '#rollout';
import { parseParameters, refOf } from '#site';
import type { RunningSite } from './open-site.ts';

/** Calls the app's program about backups in a pod that has the claim; resolves with its output. */
export type BackupProgram = (words: readonly string[], streams?: ExecStreams) => Promise<string>;

const POLL_MS = 300;
const PROGRAM = ['bash', '/etc/ccp/dump.sh'];

/**
 * Runs `work` while the action `transfer-backup` of an app keeps a pod with its backups. A transfer
 * does not change the site, so it takes no lock: others can apply the site, or wait for it. Ctrl-C
 * ends the copy and then the action. Throws `cancelled`, and `cluster-failed` if the action fails.
 */
export async function withTransfer<T>(
  { cluster, exec, site, engine }: RunningSite,
  app: string,
  backup: string,
  work: (program: BackupProgram) => Promise<T>,
): Promise<T> {
  const { action, revision } = await findAction(cluster, site, `${app}/transfer-backup`);
  const parameters = parseParameters(action, [`name=${backup}`], parameterFault);
  // The action ends by a call of its program, so that its run gets an end in the list of runs.
  const { signal, ...rest } = engine;
  const over = runAsJob(cluster, site, { action, parameters, revision }, rest);
  const stop = new AbortController();
  const ended = over
    .then(
      ({ failure }) => failure?.reason ?? 'it ended early',
      (thrown: unknown) => thrown,
    )
    .finally(() => stop.abort());
  const cancelled = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
    if (signal.aborted) resolve(undefined);
  });
  const pod = await Promise.race([runningPod(), ended, cancelled]);
  if (pod === undefined) throw await stopped();
  if (typeof pod === 'string') throw failed(pod);
  if (!isPod(pod)) throw pod;
  const program: BackupProgram = async (words, streams = {}) => {
    const parts: Uint8Array[] = [];
    await exec({ namespace: site.namespace, name: pod.metadata.name }, [...PROGRAM, ...words], {
      output: (part) => void parts.push(Uint8Array.from(part)),
      ...(words[0] === 'end' ? {} : { signal }),
      ...streams,
    });
    return Buffer.concat(parts).toString();
  };
  let result: T;
  try {
    result = await work(program);
  } finally {
    // Without its pod the action ends too.
    await program(['end']).catch(() => cluster.delete(refOf(pod)));
    await ended;
  }
  const { failure } = await over;
  if (failure !== undefined) throw failed(failure.reason);
  return result;

  /** Ends an action that has no running pod yet. */
  async function stopped(): Promise<CcpError> {
    const run = transferRun(await readRuns(cluster, site), { id: action.id, revision, backup });
    const ref = { apiVersion: 'batch/v1', kind: 'Job', namespace: site.namespace };
    if (run !== undefined)
      await cluster.delete({ ...ref, name: run.job }, { propagation: 'foreground' });
    stop.abort();
    await ended;
    return new CcpError({ code: 'cancelled', message: 'cancelled before the transfer started' });
  }

  async function runningPod(): Promise<LiveObject> {
    for (;;) {
      const run = transferRun(await readRuns(cluster, site), { id: action.id, revision, backup });
      const { items } = await cluster.list(
        { apiVersion: 'v1', kind: 'Pod' },
        {
          namespace: site.namespace,
          labelSelector: `batch.kubernetes.io/job-name=${run?.job ?? 'none'}`,
        },
      );
      const found = items.find(
        ({ metadata, status }) =>
          metadata.deletionTimestamp === undefined &&
          (status as { readonly phase?: string } | undefined)?.phase === 'Running',
      );
      if (found !== undefined) return found;
      await sleep(POLL_MS, undefined, { signal: stop.signal });
    }
  }
}

/**
 * The unfinished run that `runAction` started or continued: others have pods with other backups.
 */
export function transferRun(
  runs: readonly ActionRun[],
  {
    id,
    revision,
    backup,
  }: { readonly id: string; readonly revision: number; readonly backup: string },
): ActionRun | undefined {
  return runs.find(
    (run) =>
      run.action === id &&
      run.state === 'running' &&
      run.revision === revision &&
      run.parameters['name'] === backup,
  );
}

function isPod(value: unknown): value is LiveObject {
  return (value as Partial<LiveObject> | undefined)?.kind !== undefined;
}

function failed(reason: string): CcpError {
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot reach the backups: ${reason}`,
    hint: 'check the pod of the action transfer-backup',
  });
}

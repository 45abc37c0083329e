import { setTimeout as sleep } from 'node:timers/promises';
import { CcpError } from '#core';
import { parameterFault } from '#definitions/deploy';
import type { ExecStreams, LiveObject } from '#ports';
import { findAction, readRuns, runAction, type ActionRun } from '#rollout';
import { parseParameters, refOf } from '#site';
import type { RunningSite } from './open-site.ts';

/** Calls the app's program about backups in a pod that has the claim; resolves with its output. */
export type BackupProgram = (words: readonly string[], streams?: ExecStreams) => Promise<string>;

const POLL_MS = 300;
const PROGRAM = ['bash', '/etc/ccp/dump.sh'];

/**
 * Runs `work` while the action `transfer-backup` of an app keeps a pod with its backups. Throws
 * `cluster-failed` if the action fails.
 */
export async function withTransfer<T>(
  { cluster, exec, site, engine }: RunningSite,
  app: string,
  backup: string,
  work: (program: BackupProgram) => Promise<T>,
): Promise<T> {
  const { action, revision } = await findAction(cluster, site, `${app}/transfer-backup`);
  const parameters = parseParameters(action, [`name=${backup}`], parameterFault);
  const over = runAction(cluster, site, { action, parameters, revision }, engine);
  const stop = new AbortController();
  const ended = over
    .then(
      ({ failure }) => failure?.reason ?? 'it ended early',
      (thrown: unknown) => thrown,
    )
    .finally(() => stop.abort());
  const pod = await Promise.race([runningPod(), ended]);
  if (typeof pod === 'string') throw failed(pod);
  if (!isPod(pod)) throw pod;
  const program: BackupProgram = async (words, streams = {}) => {
    const parts: Uint8Array[] = [];
    await exec({ namespace: site.namespace, name: pod.metadata.name }, [...PROGRAM, ...words], {
      output: (part) => void parts.push(Uint8Array.from(part)),
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

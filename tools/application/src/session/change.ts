import { CcpError, codeOf } from '#core';
import { lockHolder, lockOptions, takeLock, guardedCluster } from '#rollout';
import type { Cluster } from '#ports';
import { APPLICATIONS, readRecord } from '../record/store.ts';
import type { ApplicationRecord } from '../record/record.ts';
import { checkVerb, isBusy, type ApplicationVerb } from '../states.ts';
import type { ApplicationEngine } from './engine.ts';

/** An application under its lock. */
export interface Held {
  /** Its writes fail once the lock is lost. */
  readonly cluster: Cluster;
  readonly record: ApplicationRecord;
  /** Aborts on Ctrl-C, and when the lock is lost. */
  readonly signal: AbortSignal;
}

/** The record of an application. Throws `application-missing`. */
export async function findRecord(
  cluster: Pick<Cluster, 'get' | 'name'>,
  name: string,
): Promise<ApplicationRecord> {
  const record = await readRecord(cluster, name);
  if (record !== undefined) return record;
  throw new CcpError({
    code: 'application-missing',
    message: `${cluster.name} has no application ${name}`,
    hint: 'list them with `ccp application list`, or upload a tarball',
  });
}

/**
 * Runs `work` on an application under its lock, if the verb is allowed in its state. A busy state
 * under the lock is that of a killed run, which is named. Throws `application-missing`,
 * `application-state`, and `deploy-locked` while another run changes it.
 */
export async function withApplication<T>(
  engine: ApplicationEngine,
  name: string,
  verb: ApplicationVerb,
  work: (held: Held) => Promise<T>,
): Promise<T> {
  const before = await findRecord(engine.cluster, name);
  if (!isBusy(before.state)) checkVerb(name, verb, before.state);
  return await underLock(engine, name, async (cluster, signal) => {
    const record = await findRecord(cluster, name);
    checkVerb(name, verb, record.state);
    noteInterrupted(engine, record);
    return await work({ cluster, record, signal });
  });
}

/** Runs `work` under the lock of an application. Throws `deploy-locked`. */
export async function underLock<T>(
  engine: ApplicationEngine,
  name: string,
  work: (cluster: Cluster, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const place = { name, namespace: APPLICATIONS };
  const given = engine.signal ?? new AbortController().signal;
  const lock = await takeLock(engine.cluster, place, {
    ...lockOptions(engine),
    // The lock of the site is reported by its own run.
    emit: (event) => {
      if (event.type === 'lock' && event.state === 'waiting') engine.emit(event);
    },
    signal: given,
  }).catch(async (thrown: unknown) => {
    throw codeOf(thrown) === 'deploy-locked' ? await inUse(engine, name) : thrown;
  });
  try {
    return await work(
      guardedCluster(engine.cluster, () => lock.assertHeld()),
      AbortSignal.any([given, lock.signal]),
    );
  } finally {
    await lock.release();
  }
}

/** Names a run that was killed. */
export function noteInterrupted({ note }: ApplicationEngine, record: ApplicationRecord): void {
  const { name, version, state, by, at } = record;
  if (isBusy(state)) note(`${name} ${version} was left ${state} by ${by}, since ${at}`);
}

async function inUse({ cluster }: ApplicationEngine, name: string): Promise<CcpError> {
  const [record, holder] = await Promise.all([
    readRecord(cluster, name),
    lockHolder(cluster, { name, namespace: APPLICATIONS }),
  ]);
  return new CcpError({
    code: 'deploy-locked',
    message: `${holder?.name ?? 'another run'} is changing the application ${name}${record === undefined ? '' : `, which is ${record.state}`}`,
    hint: `wait until it has finished, or stop it: ccp application abort ${name}`,
  });
}

import { omitUndefined } from '#core';
import type { Clock, Cluster } from '#ports';
import { lockHolder } from '#rollout';
import type { ApplicationRecord } from '../record/record.ts';
import { APPLICATIONS, readApplications } from '../record/store.ts';
import { findRecord } from '../session/change.ts';
import { isBusy } from '../states.ts';

/** Milliseconds without a renewal of its lock, after which a run was probably killed. */
const SILENT_MS = 20_000;

/** A record, and the run that changes the application. */
export interface ShownApplication extends ApplicationRecord {
  /** Who changes it now. */
  readonly holder?: string;
  /** True if its run was killed: the next command continues it. */
  readonly interrupted?: true;
}

/** All applications by name; reads only. */
export async function listApplications(
  cluster: Cluster,
  clock: Clock,
): Promise<readonly ShownApplication[]> {
  const records = await readApplications(cluster);
  return await Promise.all(records.map((record) => shown(cluster, clock, record)));
}

/** An application; reads only. Throws `application-missing`. */
export async function showApplication(
  cluster: Cluster,
  clock: Clock,
  name: string,
): Promise<ShownApplication> {
  return await shown(cluster, clock, await findRecord(cluster, name));
}

async function shown(
  cluster: Cluster,
  clock: Clock,
  record: ApplicationRecord,
): Promise<ShownApplication> {
  if (!isBusy(record.state)) return record;
  const holder = await lockHolder(cluster, { name: record.name, namespace: APPLICATIONS });
  const isSilent = holder === undefined || clock.now() - Date.parse(holder.renewedAt) > SILENT_MS;
  return {
    ...record,
    ...(isSilent ? { interrupted: true as const } : omitUndefined({ holder: holder.name })),
  };
}

import { CcpError } from '#core';
import type { Cluster } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import { imageOf } from '../plan/image-of.ts';
import type { RenderedSite } from '../types.ts';
import type { Ledger } from './ledger.ts';
import { readLedger } from './ledger-store.ts';
import type { RevisionRecord } from './record.ts';
import { readRecords, readRendered } from './record-store.ts';

/**
 * The revision to go back to, and what it was made of: the one that is asked for, else the last good one before the present.
 * Raises `deploy-rollback-impossible` where there is none, it was never good, or a contract has taken away what it needs.
 */
export async function findRollback(
  cluster: Cluster,
  site: SiteName,
  wanted?: number,
): Promise<{ readonly record: RevisionRecord; readonly rendered: RenderedSite }> {
  const record = chooseRollback(await readRecords(cluster, site), wanted);
  const rendered = await readRendered(cluster, site, record);
  refuseContracted(record, rendered, await readLedger(cluster, site));
  return { record, rendered };
}

/** As `findRollback`, on records. A rollback that did not come to its end is gone on with. */
export function chooseRollback(records: readonly RevisionRecord[], wanted?: number): RevisionRecord {
  const latest = records.at(-1);
  const refuse = (message: string, hint = `see what there is: ccp deploy history ${latest?.site}`): CcpError =>
    new CcpError({ code: 'deploy-rollback-impossible', message, hint });
  if (latest === undefined) throw refuse('the site has no revision to go back to', 'install it: ccp deploy apply SITE');
  const goal = wanted ?? (latest.state === 'good' ? undefined : latest.rollbackTo);
  if (goal !== undefined) {
    const found = records.find(({ revision }) => revision === goal);
    if (found === undefined) throw refuse(`there is no record of revision ${goal}`);
    if (found.state !== 'good') throw refuse(`revision ${goal} has never been good`);
    return found;
  }
  const found = records.findLast((record) => record.state === 'good' && record.content !== latest.content);
  if (found === undefined) throw refuse(`there is no good revision before ${latest.revision}`);
  return found;
}

/** Raises `deploy-rollback-impossible` where a contract that ran after a revision was of another image than that revision's: the schema lacks then what the older code uses. */
function refuseContracted(record: RevisionRecord, rendered: RenderedSite, ledger: Ledger): void {
  for (const step of rendered.steps.filter(({ phase }) => phase === 'contract')) {
    const images = step.objects.map(imageOf);
    const later = Object.values(ledger).find(
      (entry) => entry.step === step.id && entry.phase === 'contract' && entry.revision > record.revision && !images.includes(entry.image),
    );
    if (later === undefined) continue;
    const taken = `${step.id} of revision ${later.revision} has taken away what ${step.instance ?? 'it'} of that time needs in its schema`;
    throw new CcpError({
      code: 'deploy-rollback-impossible',
      message: `revision ${record.revision} cannot come back: ${taken}`,
      hint: 'restore a backup of the database together with that revision, or mend the present release and apply it',
    });
  }
}

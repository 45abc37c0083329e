import { CcpError, throwFindings } from '#core';
import type { Cluster } from '#ports';
import type { RenderedSite } from '#site';
import type { SiteName } from '../session/site-name.ts';
import { imageOf } from './image-of.ts';
import { readLedger } from './ledger-store.ts';
import type { Ledger } from './ledger.ts';
import { readRecords, readRendered } from './record-store.ts';
import type { RevisionRecord } from './record.ts';
import { removedSchemas, removedSchemaText, type RemovedSchema } from './removed-schemas.ts';

/**
 * The revision for a rollback and its rendered objects: the requested one, otherwise the last good
 * one before the current. Throws `deploy-rollback-impossible` if it does not exist, was never good,
 * or a contract step or a migration has removed schema parts that it needs.
 */
export async function findRollback(
  cluster: Cluster,
  site: SiteName,
  wanted?: number,
): Promise<{ readonly record: RevisionRecord; readonly rendered: RenderedSite }> {
  const records = await readRecords(cluster, site);
  const record = chooseRollback(records, wanted);
  const rendered = await readRendered(cluster, site, record);
  const ledger = await readLedger(cluster, site);
  refuseContracted(record, rendered, ledger);
  refuseRemoved(record, removedSchemas(rendered, records, ledger));
  return { record, rendered };
}

/** As `findRollback`, on records. An unfinished rollback is continued. */
export function chooseRollback(
  records: readonly RevisionRecord[],
  wanted?: number,
): RevisionRecord {
  const latest = records.at(-1);
  const refuse = (
    message: string,
    hint = `list the revisions: ccp deploy history ${latest?.site}`,
  ): CcpError => new CcpError({ code: 'deploy-rollback-impossible', message, hint });
  if (latest === undefined)
    throw refuse('the site has no revision to go back to', 'install it: ccp deploy apply SITE');
  const goal = wanted ?? (latest.state === 'good' ? undefined : latest.rollbackTo);
  if (goal !== undefined) {
    const found = records.find(({ revision }) => revision === goal);
    if (found === undefined) throw refuse(`revision ${goal} has no record`);
    if (found.state !== 'good') throw refuse(`revision ${goal} was never deployed successfully`);
    return found;
  }
  const found = records.findLast(
    (record) => record.state === 'good' && record.content !== latest.content,
  );
  if (found === undefined) throw refuse(`no successful revision exists before ${latest.revision}`);
  return found;
}

/** Throws `deploy-rollback-impossible` if the schema has lost parts that the revision uses. */
function refuseRemoved({ revision }: RevisionRecord, removed: readonly RemovedSchema[]): void {
  throwFindings(
    removed.map(
      (each) =>
        new CcpError({
          code: 'deploy-rollback-impossible',
          message: `revision ${revision} cannot be applied again: ${removedSchemaText(each)}`,
          hint: 'restore a backup of the database together with that revision, or fix the current release and apply it',
        }),
    ),
  );
}

/**
 * Throws `deploy-rollback-impossible` if a contract step of another image ran after the revision:
 * the schema then has no parts that the older code uses.
 */
function refuseContracted(record: RevisionRecord, rendered: RenderedSite, ledger: Ledger): void {
  for (const step of rendered.steps.filter(({ phase }) => phase === 'contract')) {
    const images = step.objects.map(imageOf);
    const later = Object.values(ledger).find(
      (entry) =>
        entry.step === step.id &&
        entry.phase === 'contract' &&
        entry.revision > record.revision &&
        !images.includes(entry.image),
    );
    if (later === undefined) continue;
    const taken = `${step.id} of revision ${later.revision} has removed parts of the database schema that ${step.instance ?? 'it'} needed then`;
    throw new CcpError({
      code: 'deploy-rollback-impossible',
      message: `revision ${record.revision} cannot be applied again: ${taken}`,
      hint: 'restore a backup of the database together with that revision, or fix the current release and apply it',
    });
  }
}

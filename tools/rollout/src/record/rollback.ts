import { CcpError, throwFindings } from '#core';
import type { Cluster } from '#ports';
import type { RenderedSite } from '#site';
import type { SiteName } from '../session/site-name.ts';
import { contractsOf } from './contracted.ts';
import { imageOf } from './image-of.ts';
import { readDataFacts } from './read-data-facts.ts';
import { readLedger } from './ledger-store.ts';
import type { LedgerEntry } from './ledger.ts';
import { keptLedger } from './outdated-jobs.ts';
import { readRecords, readRendered } from './record-store.ts';
import type { RevisionRecord } from './record.ts';
import { removedSchemas, removedSchemaText, type RemovedSchema } from './removed-schemas.ts';

const RESTORE =
  'restore a backup from before the upgrade with --stay-stopped and then roll back, or fix the current release and apply it';

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
  const [facts, all] = await Promise.all([
    readDataFacts(cluster, site, rendered),
    readLedger(cluster, site),
  ]);
  const ledger = keptLedger(rendered, all, facts);
  refuseContracted(record, rendered, contractsOf(rendered, records, ledger));
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
          hint: RESTORE,
        }),
    ),
  );
}

/**
 * Throws `deploy-rollback-impossible` if a contract step of another image ran after the revision:
 * the schema then has no parts that the older code uses.
 */
function refuseContracted(
  record: RevisionRecord,
  rendered: RenderedSite,
  contracts: readonly LedgerEntry[],
): void {
  for (const step of rendered.steps.filter(({ phase }) => phase === 'contract')) {
    const images = step.objects.map(imageOf);
    const later = contracts.find(
      (entry) =>
        entry.step === step.id && entry.revision > record.revision && !images.includes(entry.image),
    );
    if (later === undefined) continue;
    const taken = `${step.id} of revision ${later.revision} has removed parts of the database schema that ${step.instance ?? 'it'} needed then`;
    throw new CcpError({
      code: 'deploy-rollback-impossible',
      message: `revision ${record.revision} cannot be applied again: ${taken}`,
      hint: RESTORE,
    });
  }
}

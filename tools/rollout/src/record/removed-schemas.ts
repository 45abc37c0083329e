import type { RenderedSite, SchemaRevisions } from '#site';
import type { Ledger } from './ledger.ts';
import type { KeptLedger } from './outdated-jobs.ts';
import type { RevisionRecord } from './record.ts';

/** A migration of a later release that removed parts of the schema which this release uses. */
export interface RemovedSchema {
  readonly instance: string;
  /** Revision of the site that ran the migration. */
  readonly revision: number;
  /** Path of the migration below Python's site-packages, and the line of the change. */
  readonly file: string;
  readonly line: number;
  /** The change as a verb and an object: `drops a column`. */
  readonly text: string;
}

/**
 * The destructive changes that ran in the database and that a rendered site does not know: its code
 * is older and uses the removed parts. An instance with a migration that no record has is newer; it
 * may have replaced old migrations by one. Data that replaced older data counts with the migrations
 * it came with.
 */
export function removedSchemas(
  rendered: Pick<RenderedSite, 'schemas'>,
  records: readonly RevisionRecord[],
  ledger: KeptLedger,
): RemovedSchema[] {
  const seen = new Set<string>();
  return records.flatMap((record) =>
    Object.entries(record.schemas ?? {}).flatMap(([instance, revisions]) => {
      const known = rendered.schemas?.[instance]?.revisions;
      if (known === undefined || isNewer(instance, known, records)) return [];
      if (!hasMigrated(record, instance, { revisions, known, ledger })) return [];
      return Object.entries(revisions).flatMap(([id, { file = '', changes = [] }]) => {
        const change = changes.find((each) => each.class === 'destructive');
        if (change === undefined || known[id] !== undefined || seen.has(`${instance} ${id}`))
          return [];
        seen.add(`${instance} ${id}`);
        const { text, line } = change;
        return [{ instance, revision: record.revision, file, line, text }];
      });
    }),
  );
}

function isNewer(
  instance: string,
  known: SchemaRevisions,
  records: readonly RevisionRecord[],
): boolean {
  const recorded = records.map(({ schemas }) => schemas?.[instance] ?? {});
  return Object.keys(known).some((id) => recorded.every((each) => each[id] === undefined));
}

/**
 * Whether the data has migrations of an instance that ran in this revision, at least in part. If
 * the data was replaced since, its newest migrations decide.
 */
function hasMigrated(
  record: RevisionRecord,
  instance: string,
  {
    revisions,
    known,
    ledger: { all, kept, heads },
  }: {
    readonly revisions: SchemaRevisions;
    readonly known: SchemaRevisions;
    readonly ledger: KeptLedger;
  },
): boolean {
  const ran = (ledger: Ledger): boolean =>
    Object.values(ledger).some(
      ({ step, phase, revision }) =>
        revision === record.revision &&
        (phase === 'expand' || phase === 'migrate') &&
        step.startsWith(`${instance}/`),
    );
  if (ran(kept)) return true;
  const replaced = [...heads].filter(([step]) => step.startsWith(`${instance}/`));
  if (replaced.length === 0 || replaced.some(([, found]) => found === undefined))
    return record.state === 'good' || ran(all);
  return replaced.some(([, found]) =>
    found!.some((id) => revisions[id] !== undefined && known[id] === undefined),
  );
}

/** The text about a release that cannot run on the schema. */
export function removedSchemaText({ instance, revision, file, line, text }: RemovedSchema): string {
  return `the code of ${instance} does not know a migration of revision ${revision} that ${text} (${file}:${line})`;
}

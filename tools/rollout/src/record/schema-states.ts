import { counted, shortList } from '#core';
import type { ObjectKey, RenderedSite, SchemaRevisions } from '#site';
import type { DataHeads } from './data-ids.ts';
import { doneIn } from './done-in.ts';
import type { Ledger } from './ledger.ts';
import type { RevisionRecord } from './record.ts';

/** A database compared with the migrations of the release that uses it. */
export interface SchemaState {
  readonly instance: string;
  readonly database: string;
  /** The workload that serves the database. */
  readonly of: ObjectKey;
  /** Its newest migrations; absent if it does not exist or was never migrated. */
  readonly heads?: readonly string[];
  /**
   * `behind`: it lacks migrations. `ahead`: it has migrations of a later release, as after a
   * rollback. `unknown`: no recorded release has its newest migrations.
   */
  readonly state: 'current' | 'behind' | 'ahead' | 'unknown';
  /**
   * If `behind`, ids of the migrations that the database lacks; otherwise ids of its migrations
   * that this release does not have.
   */
  readonly migrations: readonly string[];
}

/**
 * Compares the migrations in databases with the ones that the jobs of a rendered site have run, or
 * will run before the update of workloads. Databases of servers that publish no migrations, and
 * those of image sets without the order of migrations, are left out.
 */
export function schemaStates(
  { schemas = {}, steps }: Pick<RenderedSite, 'schemas' | 'steps'>,
  records: readonly Pick<RevisionRecord, 'schemas'>[],
  ledger: Ledger,
  published: DataHeads,
): readonly SchemaState[] {
  return Object.entries(schemas).flatMap(([instance, schema]) => {
    const contracts = steps.filter(
      (step) => step.instance === instance && step.phase === 'contract',
    );
    const contracted =
      contracts.length > 0 && contracts.every((step) => doneIn(step, ledger) !== undefined);
    const own: SchemaRevisions = { ...schema.revisions, ...schema.contracting };
    const expected = contracted ? own : schema.revisions;
    const all = Object.assign({}, ...records.map((each) => each.schemas?.[instance]), own);
    // Records of earlier versions of ccp have neither databases nor the order of migrations.
    return Object.entries(schema.databases ?? {}).flatMap(([database, of]): SchemaState[] => {
      const server = published.get(of);
      if (server === undefined || !hasOrder(all)) return [];
      const heads = server[database];
      const about = { instance, database, of, ...(heads === undefined ? {} : { heads }) };
      return [{ ...about, ...compare(heads ?? [], { own, expected, all }) }];
    });
  });
}

/** Whether the release can work with a database. */
export function isFit({ state }: SchemaState): boolean {
  return state === 'current' || state === 'ahead';
}

/** Whether a database's migrations ran, but the database lacks some now, as after a restore. */
export function isSetBack(
  { instance, state }: SchemaState,
  steps: RenderedSite['steps'],
  ledger: Ledger,
): boolean {
  return (
    state === 'behind' &&
    steps.every(
      (step) =>
        step.instance !== instance ||
        (step.phase !== 'expand' && step.phase !== 'migrate') ||
        doneIn(step, ledger) !== undefined,
    )
  );
}

/** Maximum number of migrations in a line. */
const MOST = 3;

/** The text about a database whose schema is not of its release. */
export function schemaStateText(schema: SchemaState): string {
  const { instance, database, heads = [], state, migrations } = schema;
  const ids = shortList(migrations, MOST);
  const many = counted(migrations.length, 'migration');
  switch (state) {
    case 'current':
      return `database ${database} has all migrations of ${instance}`;
    case 'behind':
      if (heads.length === 0) return `database ${database} of ${instance} has no migrations`;
      return `database ${database} lacks ${many} of ${instance}: ${ids}`;
    case 'ahead':
      return `database ${database} has ${many} of a later release of ${instance}: ${ids}`;
    case 'unknown':
      return `database ${database} has migrations that no recorded release of ${instance} has: ${ids}`;
  }
}

interface Releases {
  /** All migrations of this release. */
  readonly own: SchemaRevisions;
  /** The ones that a database must have. */
  readonly expected: SchemaRevisions;
  /** All migrations of this and other releases. */
  readonly all: SchemaRevisions;
}

function compare(
  heads: readonly string[],
  { own, expected, all }: Releases,
): Pick<SchemaState, 'state' | 'migrations'> {
  const unknown = heads.filter((id) => all[id] === undefined);
  if (unknown.length > 0) return { state: 'unknown', migrations: unknown };
  const applied = reachable(heads, (id) => all[id]?.after ?? []);
  const near = heads.length === 0 ? undefined : related(heads, all);
  const lacking = Object.keys(expected).filter(
    (id) => !applied.has(id) && (near === undefined || near.has(id)),
  );
  if (lacking.length > 0) return { state: 'behind', migrations: lacking };
  const later = [...applied].filter((id) => own[id] === undefined && all[id] !== undefined);
  return later.length > 0
    ? { state: 'ahead', migrations: later }
    : { state: 'current', migrations: [] };
}

/** All migrations of the trees that these belong to: an app can have several databases. */
function related(ids: readonly string[], all: SchemaRevisions): ReadonlySet<string> {
  const neighbours = new Map<string, string[]>();
  const link = (from: string, to: string): void => {
    const known = neighbours.get(from);
    if (known === undefined) neighbours.set(from, [to]);
    else known.push(to);
  };
  for (const [id, { after = [] }] of Object.entries(all))
    for (const before of after) {
      link(id, before);
      link(before, id);
    }
  return reachable(ids, (id) => neighbours.get(id) ?? []);
}

function reachable(
  from: readonly string[],
  next: (id: string) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...next(id));
  }
  return found;
}

function hasOrder(all: SchemaRevisions): boolean {
  return Object.values(all).every(({ after }) => after !== undefined);
}

import { isRecord, mapRecord } from '#core';

/** Path of the file in an image that lists the migrations of its databases. */
export const SCHEMA_CHANGES_FILE = 'opt/openstack/share/ccp/schema-changes.json';

const CLASSES = ['destructive', 'deleting', 'tightening'] as const;

/**
 * A change of a database schema that earlier code may not tolerate: `destructive` changes remove or
 * rename parts of the schema that it uses, `deleting` ones delete rows, and after `tightening` ones
 * the schema refuses rows that it may write.
 */
export interface SchemaChange {
  readonly class: (typeof CLASSES)[number];
  /** The change as a verb and an object, such as `drops a column`. */
  readonly text: string;
  /** Line of the migration. */
  readonly line: number;
}

/** A migration of Alembic. One without `changes` is additive. */
export interface SchemaRevision {
  /** Ids of the migrations that it follows; absent in image sets of earlier versions of ccp. */
  readonly after?: readonly string[];
  /** The migration belongs to the contract branch. */
  readonly contract?: true;
  /** Path of the migration below Python's site-packages; with `changes`. */
  readonly file?: string;
  readonly changes?: readonly SchemaChange[];
}

/** All migrations of an image by the id of their revision. */
export type SchemaRevisions = Readonly<Record<string, SchemaRevision>>;

/** Parses the text of an image's file. Throws a TypeError with the reason. */
export function parseSchemaChanges(text: string): SchemaRevisions {
  const document: unknown = JSON.parse(text);
  if (!isRecord(document) || document['format'] !== 1) throw new TypeError('its format is not 1');
  return parseRevisions(document['revisions'], (value) => {
    const { after, contract, file, changes } = value;
    if (!Array.isArray(changes)) throw new TypeError('"changes" is not a list');
    return {
      after,
      ...(contract === true ? { contract } : {}),
      ...(changes.length === 0 ? {} : { file, changes: changes.map(namedFields) }),
    };
  });
}

/** Checks the revisions in an image set. Throws a TypeError. */
export function parseRevisions(
  value: unknown,
  read: (value: Readonly<Record<string, unknown>>) => unknown = (same) => same,
): SchemaRevisions {
  if (!isRecord(value)) throw new TypeError('the revisions are not an object');
  return mapRecord(value, (member, revision) => {
    const parsed = isRecord(member) ? read(member) : undefined;
    if (!isRevision(parsed)) throw new TypeError(`revision ${revision} is invalid`);
    return parsed;
  });
}

/** A change as the image has it: class, text and line. */
function namedFields(change: unknown): unknown {
  const [kind, text, line] = Array.isArray(change) ? (change as unknown[]) : [];
  return { class: kind, text, line };
}

function isRevision(value: unknown): value is SchemaRevision {
  if (!isRecord(value)) return false;
  const { after, contract, file, changes, ...others } = value;
  return (
    Object.keys(others).length === 0 &&
    (after === undefined ||
      (Array.isArray(after) && after.every((id) => typeof id === 'string'))) &&
    (contract === undefined || contract === true) &&
    (changes === undefined
      ? file === undefined
      : typeof file === 'string' && Array.isArray(changes) && changes.every(isChange))
  );
}

function isChange(value: unknown): value is SchemaChange {
  return (
    isRecord(value) &&
    (CLASSES as readonly unknown[]).includes(value['class']) &&
    typeof value['text'] === 'string' &&
    Number.isSafeInteger(value['line'])
  );
}

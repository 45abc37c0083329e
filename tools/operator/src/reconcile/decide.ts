import type { RevisionRecord } from '#rollout';

/** The decision about the release that a resource asks for, from the records of its site. */
export type Decision =
  /** It is applied and was good: the operator only looks. */
  | { readonly act: 'observe' }
  | { readonly act: 'apply'; readonly continues: boolean }
  /** The release failed, or its rollback did not end. */
  | { readonly act: 'rollback'; readonly to: number; readonly failed: number }
  /** The release was rolled back, and is not applied again. */
  | { readonly act: 'hold'; readonly failed: RevisionRecord; readonly to: number }
  /** The release failed and is applied again at a time. */
  | { readonly act: 'wait'; readonly failed: RevisionRecord; readonly until: number };

/** The wanted release and the policy of its resource. */
export interface Wanted {
  readonly content: string;
  /** Image -> digest. */
  readonly images: Readonly<Record<string, string>>;
  readonly rollback: 'never' | 'onFailure';
  /** Revision that was rolled back and is applied again. */
  readonly retry?: number;
}

/** Milliseconds between two attempts at a release that failed. */
export const RETRY_MS = 300_000;

/**
 * Decides from the records of the cluster alone, so that an operator that was killed continues.
 * `now` is in milliseconds since 1970. Pure.
 */
export function decide(records: readonly RevisionRecord[], wanted: Wanted, now: number): Decision {
  const latest = records.at(-1);
  if (latest === undefined) return { act: 'apply', continues: false };
  const until = Date.parse(latest.endedAt ?? latest.startedAt) + RETRY_MS;
  if (latest.content === wanted.content) {
    if (latest.state === 'good') return { act: 'observe' };
    if (latest.state === 'running') return { act: 'apply', continues: true };
    const goal = wanted.rollback === 'onFailure' ? goalOf(records, latest) : undefined;
    if (goal !== undefined) return { act: 'rollback', to: goal.revision, failed: latest.revision };
    return now < until ? { act: 'wait', failed: latest, until } : { act: 'apply', continues: true };
  }
  const failed = heldBack(records, wanted);
  if (failed === undefined) return { act: 'apply', continues: false };
  const to = latest.rollbackTo!;
  if (latest.state === 'good') return { act: 'hold', failed, to };
  return latest.state === 'failed' && now < until
    ? { act: 'wait', failed: latest, until }
    : { act: 'rollback', to, failed: failed.revision };
}

/** The revision that a failed one is rolled back to: the last good one with other content. */
function goalOf(
  records: readonly RevisionRecord[],
  failed: RevisionRecord,
): RevisionRecord | undefined {
  return failed.rollbackTo === undefined
    ? records.findLast(({ state, content }) => state === 'good' && content !== failed.content)
    : undefined;
}

/**
 * The revision that was left by the latest rollback and has the wanted content, or the same images
 * where these were the change.
 */
function heldBack(
  records: readonly RevisionRecord[],
  { content, images, retry }: Wanted,
): RevisionRecord | undefined {
  const latest = records.at(-1);
  if (latest?.rollbackTo === undefined) return undefined;
  const { rollbackTo, revision, images: current } = latest;
  const left = records.findLast(
    (record) =>
      record.revision > rollbackTo &&
      record.revision < revision &&
      (record.content === content ||
        (isSame(record.images, images) && !isSame(record.images, current))),
  );
  return left?.revision === retry ? undefined : left;
}

function isSame(
  left: Readonly<Record<string, string>>,
  right: Readonly<Record<string, string>>,
): boolean {
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => left[name] === right[name]);
}

import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';

/**
 * Whether `live` is what a write of `written` left whose answer was lost: all that was written stands there, and the last write
 * on record is the manager's. Members that the server fills in may be more; lists are compared item by item.
 */
export function isOwnWrite(live: LiveObject, written: KubernetesObject, manager: string): boolean {
  const { status: _, metadata, ...wanted } = written;
  const { labels, annotations } = metadata;
  const last = [...(live.metadata.managedFields ?? [])].sort((left, right) => (left.time ?? '').localeCompare(right.time ?? '')).at(-1);
  return (
    last?.manager === manager &&
    holds(live, { ...wanted, metadata: { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) } })
  );
}

function holds(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (isRecord(wanted)) return isRecord(live) && Object.entries(wanted).every(([member, value]) => holds(live[member], value));
  if (Array.isArray(wanted)) return Array.isArray(live) && live.length === wanted.length && wanted.every((value, index) => holds(live[index], value));
  return isDeepStrictEqual(live, wanted);
}

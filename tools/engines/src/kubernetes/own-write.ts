import { isDeepStrictEqual } from 'node:util';
import { isRecord, omitUndefined } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';

/**
 * Whether `live` is the result of a write of `written` whose response was lost: it has every
 * written value, and its last recorded write is the manager's. The server may add members. Lists
 * are compared item by item.
 */
export function isOwnWrite(live: LiveObject, written: KubernetesObject, manager: string): boolean {
  const { status: _, metadata, ...wanted } = written;
  const { labels, annotations } = metadata;
  const last = [...(live.metadata.managedFields ?? [])]
    .sort((left, right) => (left.time ?? '').localeCompare(right.time ?? ''))
    .at(-1);
  return (
    last?.manager === manager &&
    includes(live, {
      ...wanted,
      metadata: {
        ...omitUndefined({ labels }),
        ...omitUndefined({ annotations }),
      },
    })
  );
}

function includes(live: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (isRecord(wanted))
    return (
      isRecord(live) &&
      Object.entries(wanted).every(([member, value]) => includes(live[member], value))
    );
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((value, index) => includes(live[index], value))
    );
  return isDeepStrictEqual(live, wanted);
}

import { differenceText } from './differences.ts';
import type { Reason } from './types.ts';

const TEXTS = {
  'not-built': 'not built yet',
  lost: 'the store no longer has it',
  damaged: 'its stored blobs are damaged or missing',
  retested: 'its tests changed',
  untested: 'no passed run of its tests is recorded',
  requested: 'requested with --rebuild',
} as const satisfies Readonly<Record<Exclude<Reason['kind'], 'changed' | 'recorded'>, string>>;

/** A reason as a clause for people: `its tests changed`. Nothing may compare this text. */
export function reasonText(reason: Reason): string {
  if (reason.kind === 'changed') return differenceText(reason.difference);
  return reason.kind === 'recorded' ? reason.text : TEXTS[reason.kind];
}

/** Whether one of the reasons has this kind. */
export function hasReason(reasons: readonly Reason[], kind: Reason['kind']): boolean {
  return reasons.some((reason) => reason.kind === kind);
}

/** Whether a value from a file is a reason. */
export function isReason(value: unknown): value is Reason {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false;
  const { kind } = value;
  if (kind === 'changed')
    return (
      'difference' in value &&
      typeof value.difference === 'object' &&
      value.difference !== null &&
      'input' in value.difference
    );
  if (kind === 'recorded') return 'text' in value && typeof value.text === 'string';
  return typeof kind === 'string' && Object.hasOwn(TEXTS, kind);
}

import { counted } from '#core';
import type { InvalidCause, KubernetesObject, LiveObject } from '#ports';
import type { ObjectKey } from '#site';
import { isRestart } from '../live/added-fields.ts';
import type { ConflictRule, DecidedAddition } from '../live/conflicts.ts';
import { withoutField } from '../live/field-path.ts';
import { fieldChanges, type FieldChange } from './field-changes.ts';
import type { DeployPlan, PlannedObject } from './types.ts';

/** Additions that an apply removes. */
export function removedAdditions(
  added: readonly DecidedAddition[] = [],
): readonly DecidedAddition[] {
  return added.filter(({ policy }) => policy === 'take');
}

/**
 * The rules of an approved plan: the additions that it removes, so that they need not be named
 * again.
 */
export function approvedRules({ objects }: Pick<DeployPlan, 'objects'>): ConflictRule[] {
  return objects.flatMap(({ key, added }) =>
    removedAdditions(added).map(({ field }) => ({
      object: key,
      field: field.replace(/^\./, ''),
      policy: 'take' as const,
    })),
  );
}

/**
 * Additions to a planned object that are drift: no rule keeps or removes them, and they are not
 * only a restart of pods.
 */
export function driftOf({ added = [] }: Pick<PlannedObject, 'added'>): readonly DecidedAddition[] {
  return added.filter((each) => each.policy === undefined && !isRestart(each));
}

/** The object without the additions that an apply removes. */
export function withoutTaken<T extends KubernetesObject>(
  object: T,
  added: readonly DecidedAddition[] = [],
): T {
  return removedAdditions(added).reduce<KubernetesObject>(
    (rest, { field }) => withoutField(rest, field),
    object,
  ) as T;
}

/** Additions in the lists or fields that the server reports as invalid. */
export function invalidAdditions(
  added: readonly DecidedAddition[] = [],
  causes: readonly InvalidCause[],
): readonly DecidedAddition[] {
  const bare = (field: string): string => field.replace(/\[[^\]]*\]/g, '').replace(/^\./, '');
  const within = (one: string, other: string): boolean =>
    one === other || one.startsWith(`${other}.`);
  return added.filter(({ field }) =>
    causes.some(
      (cause) => within(bare(cause.field), bare(field)) || within(bare(field), bare(cause.field)),
    ),
  );
}

/** The hint for an object that the server refuses because of other managers' additions. */
export function removalHint(key: ObjectKey, added: readonly DecidedAddition[]): string {
  const managers = [...new Set(added.map(({ manager }) => manager))].join(', ');
  const flags = added.map(({ field }) => `--take '${key}:${field.replace(/^\./, '')}'`).join(' ');
  return `${managers} has added ${added.map(({ field }) => field).join(', ')}; remove it with ${flags}`;
}

/**
 * The changes that a removal makes, for an object whose apply the server cannot preview together
 * with the removal.
 */
export function changesOfRemoval(
  live: LiveObject,
  desired: KubernetesObject,
  added: readonly DecidedAddition[],
): FieldChange[] {
  const replaced = fieldChanges(live, desired).filter(({ after }) => after !== undefined);
  return replaced.length > 0 ? replaced : fieldChanges(live, withoutTaken(live, added));
}

/** The text of one addition. */
export function additionText(each: DecidedAddition): string {
  const { manager, field, time, why } = each;
  const when = time === undefined ? '' : ` at ${time}`;
  return `${field} was added by ${manager}${when}: ${additionState(each)}${why === undefined ? '' : ` (${why})`}`;
}

function additionState(addition: DecidedAddition): string {
  if (addition.policy === 'take') return 'it is removed';
  if (addition.policy === 'leave') return 'it is kept';
  return isRestart(addition) ? 'it restarted the pods' : 'it stays unless --take names it';
}

/** One line about all additions in a plan; empty without additions. */
export function additionsLines(site: string, objects: readonly PlannedObject[]): string[] {
  const drifted = objects.map(driftOf).filter(({ length }) => length > 0);
  if (drifted.length === 0) return [];
  return [
    `  ? other field managers have added ${counted(drifted.flat().length, 'field')} to ${counted(drifted.length, 'object')}; apply keeps them: ccp deploy diff ${site}`,
  ];
}

import { counted } from '#core';
import type { InvalidCause, KubernetesObject, LiveObject } from '#ports';
import { isRestart } from '../live/added-fields.ts';
import { keyOf } from '../live/object-key.ts';
import type { ConflictRule, DecidedAddition } from './conflicts.ts';
import { fieldChanges, type FieldChange } from './field-changes.ts';
import { withoutField } from './field-path.ts';
import type { DeployPlan, PlannedObject } from './types.ts';

/** Those that an apply takes away. */
export function takenOf(added: readonly DecidedAddition[] = []): readonly DecidedAddition[] {
  return added.filter(({ policy }) => policy === 'take');
}

/** What a plan that was approved takes away, so that it is taken without being named again. */
export function approvedRules({ objects }: Pick<DeployPlan, 'objects'>): ConflictRule[] {
  return objects.flatMap(({ key, added }) => takenOf(added).map(({ field }) => ({ object: key, field: field.replace(/^\./, ''), policy: 'take' as const })));
}

/** Those of a planned object that are drift: nothing says that they are left, or taken, and they are more than a restart of pods. */
export function driftOf({ added = [] }: Pick<PlannedObject, 'added'>): readonly DecidedAddition[] {
  return added.filter((each) => each.policy === undefined && !isRestart(each));
}

/** An object as it is without what is taken of it. */
export function withoutTaken<T extends KubernetesObject>(object: T, added: readonly DecidedAddition[] = []): T {
  return takenOf(added).reduce<KubernetesObject>((rest, { field }) => withoutField(rest, field), object) as T;
}

/** Additions that stand in the lists, or hold the fields, that a server finds invalid. */
export function atFault(added: readonly DecidedAddition[] = [], causes: readonly InvalidCause[]): readonly DecidedAddition[] {
  const bare = (field: string): string => field.replace(/\[[^\]]*\]/g, '').replace(/^\./, '');
  const within = (one: string, other: string): boolean => one === other || one.startsWith(`${other}.`);
  return added.filter(({ field }) => causes.some((cause) => within(bare(cause.field), bare(field)) || within(bare(field), bare(cause.field))));
}

/** What to do about an object that is refused for what others have added to it. */
export function remedyOf(object: KubernetesObject, added: readonly DecidedAddition[]): string {
  const managers = [...new Set(added.map(({ manager }) => manager))].join(', ');
  const flags = added.map(({ field }) => `--take '${keyOf(object)}:${field.replace(/^\./, '')}'`).join(' ');
  return `${managers} has added ${added.map(({ field }) => field).join(', ')}; take it away with ${flags}`;
}

/** What taking away changes of an object whose apply the server cannot show beside what is taken. */
export function changesOfTaking(live: LiveObject, desired: KubernetesObject, added: readonly DecidedAddition[]): FieldChange[] {
  const replaced = fieldChanges(live, desired).filter(({ after }) => after !== undefined);
  return replaced.length > 0 ? replaced : fieldChanges(live, withoutTaken(live, added));
}

/** How one of them is told. */
export function additionText(each: DecidedAddition): string {
  const { manager, field, time, why } = each;
  const when = time === undefined ? '' : ` at ${time}`;
  return `${field} was added by ${manager}${when}: ${fateOf(each)}${why === undefined ? '' : ` (${why})`}`;
}

function fateOf(addition: DecidedAddition): string {
  if (addition.policy === 'take') return 'it is taken away';
  if (addition.policy === 'leave') return 'it is left';
  return isRestart(addition) ? 'it had the pods start again' : 'it stays until it is taken';
}

/** One line about all of them in a plan; nothing where there is none. */
export function additionsLines(site: string, objects: readonly PlannedObject[]): string[] {
  const drifted = objects.map(driftOf).filter(({ length }) => length > 0);
  if (drifted.length === 0) return [];
  return [`  ? others have added ${counted(drifted.flat().length, 'field')} to ${counted(drifted.length, 'object')}, and they stay: ccp deploy diff ${site}`];
}

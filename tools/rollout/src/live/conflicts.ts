import { omitUndefined } from '#core';
import type { FieldConflict, KubernetesObject } from '#ports';
import type { ObjectKey } from '#site';
import type { AddedField } from './added-fields.ts';
import { withoutField } from './field-path.ts';

/** The decision about a field that another manager has set to another value. */
export type ConflictPolicy = 'fail' | 'take' | 'leave';

/**
 * A user's choice for a field, of one object if `object` is set, otherwise of all objects. Later
 * rules win.
 */
export interface ConflictRule {
  readonly object?: string;
  /**
   * Without the leading dot: `spec.replicas`. A prefix (`spec.ports`) selects everything below it,
   * `*` selects every field.
   */
  readonly field: string;
  readonly policy: ConflictPolicy;
  /** The command-line flag of the rule, as a message quotes it. */
  readonly flag?: string;
  /** The source of the rule, for the user. */
  readonly why?: string;
}

/** A conflict with its decision, and the reason if no rule decided it. */
export interface DecidedConflict extends FieldConflict {
  readonly policy: ConflictPolicy;
  readonly why?: string;
}

/**
 * A field that another manager added, with its decision: `take` removes it, `leave` keeps it and
 * does not report drift.
 */
export interface DecidedAddition extends AddedField {
  readonly policy?: Exclude<ConflictPolicy, 'fail'>;
  readonly why?: string;
}

/** Whether a rule applies to a field of an object. */
export function isAbout(
  { object, field: named }: ConflictRule,
  key: ObjectKey,
  field: string,
): boolean {
  if (object !== undefined && object !== key) return false;
  const bare = field.replace(/^\./, '');
  if (named === '*' || named === bare) return true;
  // The dots in a label key do not separate members.
  return (
    bare.startsWith(named) &&
    /^[.[]/.test(bare.slice(named.length)) &&
    !/(^|\.)(labels|annotations)\./.test(named)
  );
}

/** Decides each field that other managers added by the last rule that names it. */
export function decideAdditions(
  key: ObjectKey,
  added: readonly AddedField[],
  rules: readonly ConflictRule[],
): DecidedAddition[] {
  return added.map((each) => {
    const rule = rules.findLast((one) => isAbout(one, key, each.field));
    if (rule === undefined || rule.policy === 'fail') return each;
    return { ...each, policy: rule.policy, ...omitUndefined({ why: rule.why }) };
  });
}

/**
 * Decides each conflict of an object: by the last rule that names it, otherwise an autoscaled
 * workload's replicas are left to their owner, otherwise it fails.
 */
export function decideConflicts(
  key: ObjectKey,
  conflicts: readonly FieldConflict[],
  rules: readonly ConflictRule[],
  autoscaled: boolean,
): DecidedConflict[] {
  return conflicts.map((conflict) => {
    const field = conflict.field.replace(/^\./, '');
    const rule = rules.findLast((each) => isAbout(each, key, field));
    if (rule !== undefined)
      return {
        ...conflict,
        policy: rule.policy,
        ...omitUndefined({ why: rule.why }),
      };
    if (autoscaled && field === 'spec.replicas')
      return { ...conflict, policy: 'leave', why: 'an autoscaler sets it' };
    return { ...conflict, policy: 'fail' };
  });
}

/**
 * The object without the fields that are left to their owners. Another manager owns each of them,
 * so the server keeps its value.
 */
export function withoutLeft(
  object: KubernetesObject,
  conflicts: readonly DecidedConflict[],
): KubernetesObject {
  return conflicts
    .filter(({ policy }) => policy === 'leave')
    .reduce((rest, { field }) => withoutField(rest, field), object);
}

import type { FieldConflict, KubernetesObject } from '#ports';
import type { AddedField } from '../live/added-fields.ts';
import { keyOf, type ObjectKey } from '../live/object-key.ts';
import { withoutField } from './field-path.ts';

/** What is done about a field that another manager has set to another value. */
export type ConflictPolicy = 'fail' | 'take' | 'leave';

/** A person's choice for a field: of one object where `object` names it, else of all. Later rules win. */
export interface ConflictRule {
  readonly object?: string;
  /** Without the leading dot: `spec.replicas`; one that holds others (`spec.ports`) stands for them, `*` for every field. */
  readonly field: string;
  readonly policy: ConflictPolicy;
  /** The flag that it was given by, as a message quotes it. */
  readonly flag?: string;
  /** Who says it, for people. */
  readonly why?: string;
}

/** A conflict with what was decided, and why where no rule said it. */
export interface DecidedConflict extends FieldConflict {
  readonly policy: ConflictPolicy;
  readonly why?: string;
}

/** A field that someone else added, with what a rule says: `take` takes it away, `leave` has it be no drift. */
export interface DecidedAddition extends AddedField {
  readonly policy?: Exclude<ConflictPolicy, 'fail'>;
  readonly why?: string;
}

/** Whether a rule is about a field of an object. */
export function isAbout({ object, field: named }: ConflictRule, key: ObjectKey, field: string): boolean {
  if (object !== undefined && object !== key) return false;
  const bare = field.replace(/^\./, '');
  if (named === '*' || named === bare) return true;
  // The dots in a label's key tell nothing of what holds it.
  return bare.startsWith(named) && /^[.[]/.test(bare.slice(named.length)) && !/(^|\.)(labels|annotations)\./.test(named);
}

/** What the last rule that names it says about each field that others added. */
export function decideAdditions(object: KubernetesObject, added: readonly AddedField[], rules: readonly ConflictRule[]): DecidedAddition[] {
  return added.map((each) => {
    const rule = rules.findLast((one) => isAbout(one, keyOf(object), each.field));
    if (rule === undefined || rule.policy === 'fail') return each;
    return { ...each, policy: rule.policy, ...(rule.why === undefined ? {} : { why: rule.why }) };
  });
}

/** Says for each conflict of an object what is done: by the last rule that names it, else the field of an autoscaled workload's replicas is left, else it fails. */
export function decideConflicts(
  object: KubernetesObject,
  conflicts: readonly FieldConflict[],
  rules: readonly ConflictRule[],
  autoscaled: boolean,
): DecidedConflict[] {
  return conflicts.map((conflict) => {
    const field = conflict.field.replace(/^\./, '');
    const rule = rules.findLast((each) => isAbout(each, keyOf(object), field));
    if (rule !== undefined) return { ...conflict, policy: rule.policy, ...(rule.why === undefined ? {} : { why: rule.why }) };
    if (autoscaled && field === 'spec.replicas') return { ...conflict, policy: 'leave', why: 'an autoscaler sets it' };
    return { ...conflict, policy: 'fail' };
  });
}

/** The object without the fields that are left to their owners. Another manager owns each of them, so the server keeps its value. */
export function withoutLeft(object: KubernetesObject, conflicts: readonly DecidedConflict[]): KubernetesObject {
  return conflicts.filter(({ policy }) => policy === 'leave').reduce((rest, { field }) => withoutField(rest, field), object);
}

import type { FieldConflict, KubernetesObject } from '#ports';
import { keyOf } from '../live/object-key.ts';
import { withoutField } from './field-path.ts';

/** What is done about a field that another manager has set to another value. */
export type ConflictPolicy = 'fail' | 'take' | 'leave';

/** A person's choice for a field: of one object where `object` names it, else of all. Later rules win. */
export interface ConflictRule {
  readonly object?: string;
  /** Without the leading dot: `spec.replicas`; `*` stands for every field. */
  readonly field: string;
  readonly policy: ConflictPolicy;
  /** Who says it, for people. */
  readonly why?: string;
}

/** A conflict with what was decided, and why where no rule said it. */
export interface DecidedConflict extends FieldConflict {
  readonly policy: ConflictPolicy;
  readonly why?: string;
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
    const rule = rules.findLast((each) => (each.object === undefined || each.object === keyOf(object)) && (each.field === '*' || each.field === field));
    if (rule !== undefined) return { ...conflict, policy: rule.policy, ...(rule.why === undefined ? {} : { why: rule.why }) };
    if (autoscaled && field === 'spec.replicas') return { ...conflict, policy: 'leave', why: 'an autoscaler sets it' };
    return { ...conflict, policy: 'fail' };
  });
}

/** The object without the fields that are left to their owners. Another manager owns each of them, so the server keeps its value. */
export function withoutLeft(object: KubernetesObject, conflicts: readonly DecidedConflict[]): KubernetesObject {
  return conflicts.filter(({ policy }) => policy === 'leave').reduce((rest, { field }) => withoutField(rest, field), object);
}

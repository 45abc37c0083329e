import { CcpError, nearest, throwFindings } from '#core';
import { isAbout, type ConflictRule } from '../live/conflicts.ts';
import type { DeployPlan } from './types.ts';

type Objects = DeployPlan['objects'];

/**
 * Throws `usage` for each rule of a flag that names an object or field which no object of the site
 * can have. Rules from other sources are not checked.
 */
export function refuseUnknownRules(objects: Objects, rules: readonly ConflictRule[]): void {
  throwFindings(rules.flatMap((rule) => unknownParts(objects, rule)));
}

/** The flags whose rules match no field that other managers have set. */
export function unusedFlags(objects: Objects, rules: readonly ConflictRule[]): string[] {
  const isUnused = (rule: ConflictRule): boolean =>
    !objects.some(({ key, conflicts, added = [] }) =>
      [...conflicts, ...added].some(({ field }) => isAbout(rule, key, field)),
    );
  return rules.flatMap((rule) => (rule.flag !== undefined && isUnused(rule) ? [rule.flag] : []));
}

/** A line for each unused flag. */
export function unusedFlagLines({ idle = [] }: Pick<DeployPlan, 'idle'>): string[] {
  return idle.map((flag) => `  = ${flag} has no effect: no other manager has set such a field`);
}

function unknownParts(objects: Objects, { flag, object, field }: ConflictRule): CcpError[] {
  if (flag === undefined) return [];
  const named = objects.filter(({ key }) => object === undefined || object === key);
  const [member = ''] = /^[^.[]*/.exec(field) ?? [];
  const refused = (what: string, word: string, known: readonly string[]): CcpError[] => {
    const near = nearest(word, known);
    const hint =
      near === undefined
        ? 'ccp deploy plan lists the fields that other managers have set'
        : `did you mean "${near}"?`;
    return [
      new CcpError({
        code: 'usage',
        message: `${flag} does not match any ${what} of the site`,
        hint,
      }),
    ];
  };
  if (named.length === 0)
    return refused(
      'object',
      object ?? '',
      objects.map(({ key }) => key),
    );
  const members = [...new Set(named.flatMap(({ desired }) => Object.keys(desired)))];
  return field === '*' || members.includes(member)
    ? []
    : refused('field of an object', member, members);
}

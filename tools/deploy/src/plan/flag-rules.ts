import { CcpError, nearest, throwFindings } from '#core';
import { isAbout, type ConflictRule } from './conflicts.ts';
import type { DeployPlan } from './types.ts';

type Objects = DeployPlan['objects'];

/** Raises `usage` for each rule of a flag that names an object or a field which no object of the site could have; one that came from elsewhere may wait for it. */
export function refuseStrangeRules(objects: Objects, rules: readonly ConflictRule[]): void {
  throwFindings(rules.flatMap((rule) => strangeness(objects, rule)));
}

/** The flags whose rules are about nothing that others have set now. */
export function idleFlags(objects: Objects, rules: readonly ConflictRule[]): string[] {
  const isIdle = (rule: ConflictRule): boolean =>
    !objects.some(({ key, conflicts, added = [] }) => [...conflicts, ...added].some(({ field }) => isAbout(rule, key, field)));
  return rules.flatMap((rule) => (rule.flag !== undefined && isIdle(rule) ? [rule.flag] : []));
}

/** A line for each of them. */
export function idleLines({ idle = [] }: Pick<DeployPlan, 'idle'>): string[] {
  return idle.map((flag) => `  = ${flag} changes nothing: nobody else has set such a field`);
}

function strangeness(objects: Objects, { flag, object, field }: ConflictRule): CcpError[] {
  if (flag === undefined) return [];
  const named = objects.filter(({ key }) => object === undefined || object === key);
  const [member = ''] = /^[^.[]*/.exec(field) ?? [];
  const refused = (what: string, word: string, known: readonly string[]): CcpError[] => {
    const near = nearest(word, known);
    const hint = near === undefined ? 'ccp deploy plan shows which fields others have set' : `did you mean "${near}"?`;
    return [new CcpError({ code: 'usage', message: `${flag} names no ${what} of the site`, hint })];
  };
  if (named.length === 0)
    return refused(
      'object',
      object ?? '',
      objects.map(({ key }) => key),
    );
  const members = [...new Set(named.flatMap(({ desired }) => Object.keys(desired)))];
  return field === '*' || members.includes(member) ? [] : refused('field of an object', member, members);
}

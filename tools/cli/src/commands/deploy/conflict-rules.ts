import { CcpError } from '#core';
import type { Site } from '#definitions';
import type { ConflictRule } from '#deploy';

/** Flags about fields that others own. */
export interface ConflictFlags {
  readonly take?: readonly string[];
  readonly leave?: readonly string[];
}

/** The rules of the site, and over them those of `--take` and `--leave`, each `[KIND/NAME:]FIELD`. Raises `usage` for anything else. */
export function conflictRules({ take = [], leave = [] }: ConflictFlags, { conflicts = [] }: Pick<Site, 'conflicts'>): ConflictRule[] {
  const ofSite = conflicts.map((each) => ({ ...each, why: 'the site says so' }));
  return [...ofSite, ...take.map((text) => rule(text, 'take')), ...leave.map((text) => rule(text, 'leave'))];
}

function rule(text: string, policy: 'take' | 'leave'): ConflictRule {
  const [, object, field] = /^(?:([A-Za-z]+\/[a-z0-9.-]+):)?(\*|\.?[A-Za-z]+(?:[.[].+)?)$/.exec(text) ?? [];
  if (field === undefined)
    throw new CcpError({
      code: 'usage',
      message: `--${policy} ${JSON.stringify(text)} names no field`,
      hint: 'spell it like Deployment/keystone-api:spec.replicas, or spec.replicas for all',
    });
  return { ...(object === undefined ? {} : { object }), field: field.replace(/^\./, ''), policy, flag: `--${policy} ${JSON.stringify(text)}` };
}

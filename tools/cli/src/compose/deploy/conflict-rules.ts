import { CcpError, omitUndefined } from '#core';
import type { Site } from '#definitions';
import type { ConflictRule } from '#rollout';

/** Flags for field ownership conflicts. */
export interface ConflictFlags {
  readonly take?: readonly string[];
  readonly leave?: readonly string[];
}

/**
 * The rules of the site, then those of `--take` and `--leave`, each `[KIND/NAME:]FIELD`. Throws
 * `usage` for anything else.
 */
export function conflictRules(
  { take = [], leave = [] }: ConflictFlags,
  { conflicts = [] }: Pick<Site, 'conflicts'>,
): ConflictRule[] {
  const ofSite = conflicts.map((each) => ({ ...each, why: 'set in the site' }));
  return [
    ...ofSite,
    ...take.map((text) => rule(text, 'take')),
    ...leave.map((text) => rule(text, 'leave')),
  ];
}

function rule(text: string, policy: 'take' | 'leave'): ConflictRule {
  const [, object, field] =
    /^(?:([A-Za-z]+\/(?:[a-z0-9-]+\/)?[a-z0-9.-]+):)?(\*|\.?[A-Za-z]+(?:[.[].+)?)$/.exec(text) ??
    [];
  if (field === undefined)
    throw new CcpError({
      code: 'usage',
      message: `--${policy} ${JSON.stringify(text)} is not a field`,
      hint: 'use KIND/NAME:FIELD, like Deployment/keystone-api:spec.replicas, or FIELD alone for every object',
    });
  return {
    ...omitUndefined({ object }),
    field: field.replace(/^\./, ''),
    policy,
    flag: `--${policy} ${JSON.stringify(text)}`,
  };
}

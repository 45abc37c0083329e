import { expect, it } from 'vitest';
import type { KubernetesObject } from '#ports';
import { tinySite, TINY } from '../testing/tiny-site.ts';
import { tinyWorld } from '../testing/tiny-world.ts';
import { keptClaims } from './kept-claims.ts';
import { makePlan } from './make-plan.ts';
import { deployPlanLines } from './plan-text.ts';

const set = (claims: Readonly<Record<string, readonly [string, string?]>>): KubernetesObject => {
  const volumeClaimTemplates = Object.entries(claims).map(([name, [storage, storageClassName]]) => ({
    metadata: { name },
    spec: { ...(storageClassName === undefined ? {} : { storageClassName }), resources: { requests: { storage } } },
  }));
  return { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'base' }, spec: { volumeClaimTemplates } };
};

it.each([
  [{ data: ['1Gi', 'slow'] }, { data: ['1Gi', 'slow'], more: ['1Gi', 'fast'] }, undefined],
  [
    { data: ['1Gi', 'slow'] },
    { data: ['1Gi', 'fast'] },
    'claims that are there stay as they are: data (1Gi of class slow, and 1Gi of class fast only where there is none yet)',
  ],
  [
    { data: ['1Gi'] },
    { data: ['2Gi', 'fast'] },
    'claims that are there stay as they are: data (1Gi of the default class, and 2Gi of class fast only where there is none yet)',
  ],
] as const)('of %j and %j', (before, after, expected) => {
  expect(keptClaims(set(before), set(after))).toBe(expected);
});

it('a plan says it of the StatefulSet that it replaces', async () => {
  const world = tinyWorld();
  await world.apply(tinySite());
  const lines = deployPlanLines(await makePlan(world.cluster, TINY, tinySite({ size: '2Gi' })));
  expect(lines.find((line) => line.includes('! StatefulSet/base'))).toMatch(
    /^ {2}! StatefulSet\/base cannot be changed in place: .*; claims that are there stay as they are: data \(1Gi of class standard, and 2Gi of class standard only where there is none yet\)$/,
  );
});

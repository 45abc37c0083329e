import { expect, it } from 'vitest';
import type { Step } from '#site';
import { timeAway } from './time-away.ts';

// The old pods of `web` stop before `expand`; its new pods wait for `other` too.
const step = (id: string, phase: Step['phase'], ...waitsFor: readonly string[]) =>
  ({ id, phase, waitsFor, wave: 0, objects: [] }) as unknown as Step;
const STEPS = [
  step('early', 'roll'),
  step('expand', 'expand', 'early'),
  step('migrate', 'migrate', 'expand'),
  step('other', 'roll', 'early'),
  step('unrelated', 'roll', 'expand'),
  step('web', 'roll', 'migrate', 'other'),
];
const ALL = { early: 100, expand: 10, migrate: 5, other: 12, web: 7, unrelated: 900 };

it.each<[string, Record<string, number>, readonly string[], number, readonly string[]]>([
  ['the longest chain of recorded steps', ALL, [], 22, []],
  ['a step of another app that takes longer', { ...ALL, other: 40 }, [], 47, []],
  ['no steps that have nothing to do', ALL, ['expand', 'other'], 12, []],
  [
    'estimates of Jobs and workloads',
    { early: 100, expand: 10 },
    [],
    80,
    ['migrate', 'other', 'web'],
  ],
])('counts %s', (_, seconds, idle, expected, estimated) => {
  const facts = {
    steps: STEPS,
    records: [{ seconds: { expand: 1000 } }, {}, { seconds }],
    isOpen: ({ id }: Step) => !idle.includes(id),
  };
  expect(timeAway(['expand'], ['web'], facts)).toEqual({ seconds: expected, estimated });
});

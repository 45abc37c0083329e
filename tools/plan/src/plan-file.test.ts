import { expect, test } from 'vitest';
import { type ImageName } from '#core';
import { explainImage, explanationText, hasWork, parsePlan, planText } from './index.ts';
import { samplePlan, lastBuilt, planOutline } from './testing/sample-plan.ts';

test('reads a plan file, and refuses an edited or newer one', () => {
  const made = samplePlan();
  expect(parsePlan(planText(made), 'plan.json')).toEqual(made);
  expect(() =>
    parsePlan(planText(made).replace('"unlocked": false', '"unlocked": true'), 'plan.json'),
  ).toThrow('plan.json is not a plan: the fingerprint of base does not match its record');
  expect(() => parsePlan('{"name":"ccp"}', 'package.json')).toThrow(
    'package.json is not a plan: it has no format number',
  );
  expect(() => parsePlan('{"format":2}', 'plan.json')).toThrow(
    'plan.json has format 2, this tool reads format 1',
  );
  expect(() => parsePlan('[', 'plan.json')).toThrow(/^plan\.json is not a plan: it is not JSON/);
});

test('writes each reason as text and as data', () => {
  const made = samplePlan({ base: { args: { A: '1' } } }, samplePlan());
  const written = JSON.parse(planText(made));
  expect([written.images[0].reasons, written.images[0].causes]).toEqual([
    ['argument A 1 is new'],
    [{ kind: 'changed', difference: { input: 'argument', name: 'A', to: '1' } }],
  ]);
  delete written.images[0].causes;
  const older = parsePlan(JSON.stringify(written), 'plan.json');
  expect(older.images[0]?.reasons).toEqual([{ kind: 'recorded', text: 'argument A 1 is new' }]);
  expect(planOutline(older)).toEqual(planOutline(made));
});

test.each([
  ['a list', {}],
  ['of a known kind', [{ kind: 'newer' }]],
  ['complete', [{ kind: 'changed' }]],
])('refuses a plan file if the causes of an image are not %s', (_, causes) => {
  const written = JSON.parse(planText(samplePlan()));
  written.images[1].causes = causes;
  expect(() => parsePlan(JSON.stringify(written), 'plan.json')).toThrow(
    /^plan\.json is not a plan: the reasons of builder are invalid$/,
  );
});

test.each([
  ['others', 'its tests changed', 'base: only its tests changed'],
  [
    'nothing',
    'no passed run of its tests is recorded',
    'base: nothing changed, but no passed run of its tests is recorded',
  ],
] as const)(
  'tests a stored image again if it passed %s of its tests, and builds no descendant',
  (passed, reason, explained) => {
    const made = samplePlan({}, samplePlan(), { base: passed });
    expect(planOutline(made).filter((line) => line.includes(' | reuse | '))).toEqual([
      `base | reuse | ${reason}`,
    ]);
    expect(made.images.filter(hasWork).map(({ image }) => image)).toEqual(['base']);
    const before = lastBuilt(() => undefined);
    expect(explanationText(explainImage(made, 'base' as ImageName, before, () => undefined))).toBe(
      explained,
    );
  },
);

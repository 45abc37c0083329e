import { expect, it } from 'vitest';
import { imageName, sha256, type ImageName } from '#core';
import { affectedImages, removedImages, type SeriesState } from './affected.ts';
import { samplePlan } from './testing/sample-plan.ts';

type Unknown = readonly (readonly [ImageName, string])[];

const stateOf = (made = samplePlan(), unknown: Unknown = [], without?: string): SeriesState => ({
  images: new Map(
    made.images
      .filter(({ image }) => image !== without && !unknown.some(([name]) => name === image))
      .map((each) => [each.image, each]),
  ),
  unknown: new Map(unknown),
});
const lines = (before: SeriesState, after: SeriesState): readonly string[] =>
  affectedImages(before, after, 'commit 903ff21').map(({ image, kind, reasons }) =>
    [image, kind, ...reasons].join(' | '),
  );
const service = imageName('service');

it('finds nothing between equal commits', () => {
  expect(lines(stateOf(), stateOf())).toEqual([]);
});

it('names the changed input, and the parent for images below', () => {
  expect(lines(stateOf(), stateOf(samplePlan({ builder: { dockerfile: sha256('new') } })))).toEqual(
    [
      'builder | changed | the rendered Dockerfile changed',
      'service | changed | parent builder (builder) changed',
    ],
  );
});

it('names added and removed images', () => {
  const without = stateOf(samplePlan(), [], 'service');
  expect(lines(without, stateOf())).toEqual(['service | added | new image: not in commit 903ff21']);
  expect([lines(stateOf(), without), removedImages(stateOf(), without)]).toEqual([[], ['service']]);
});

it('names a changed file of the repository by its path there', () => {
  const tree = (text: string) => [
    { path: 'tools/a.ts', type: 'file', executable: false, sha256: sha256(text) } as const,
  ];
  const [before, after] = ['old', 'new'].map((text) =>
    stateOf(samplePlan({ service: { tree: tree(text) } })),
  );
  expect(lines(before!, after!)).toEqual(['service | changed | file tools/a.ts changed']);
});

it('includes images whose fingerprint is unknown on one side', () => {
  const unknown = stateOf(samplePlan(), [[service, 'its lock is out of date']]);
  expect(lines(stateOf(), unknown)).toEqual(['service | unknown | its lock is out of date']);
  expect(lines(unknown, stateOf())).toEqual([
    'service | unknown | in commit 903ff21, its lock is out of date',
  ]);
  expect(removedImages(unknown, stateOf())).toEqual([]);
});

it('gives a reason if records are equal but the fingerprints differ', () => {
  const after = stateOf();
  const before = new Map(after.images);
  const fingerprint = before.get(imageName('base'))!.fingerprint;
  before.set(service, { ...before.get(service)!, fingerprint });
  expect(lines({ images: before, unknown: new Map() }, after)).toEqual([
    'service | changed | ccp computes its fingerprint in another way',
  ]);
});

import { expect, test } from 'vitest';
import type { ImageInputs } from '#context';
import { platform, sha256, digestOf, type Fingerprint, type ImageName } from '#core';
import {
  contentKey,
  explainImage,
  explanationText,
  hasWork,
  inputRecord,
  planBuild,
} from './index.ts';
import {
  SAMPLE_SERIES,
  sampleGraph,
  inputsOf,
  samplePlan,
  lastBuilt,
  planOutline,
} from './testing/sample-plan.ts';

test('builds all images in a first plan, and reuses all in an unchanged one', () => {
  const first = samplePlan();
  expect(planOutline(first)).toEqual([
    'base | build | not built yet',
    'builder | build | not built yet',
    'service | build | not built yet',
  ]);
  expect(first.images[0]?.version).toBe(`2026.1-${first.images[0]?.fingerprint.slice(0, 32)}`);
  expect(planOutline(samplePlan({}, first))).toEqual([
    'base | reuse',
    'builder | reuse',
    'service | reuse',
  ]);
});

test('rebuilds a changed image and its descendants, each with its reason', () => {
  const first = samplePlan();
  expect(
    planOutline(samplePlan({ builder: { debian: { runtime: sha256('other') } } }, first)),
  ).toEqual([
    'base | reuse',
    'builder | build | package list debian runtime changed',
    'service | build | parent builder (builder) changed',
  ]);
  expect(
    planOutline(
      samplePlan(
        {
          service: {
            files: [{ path: 'files/a', type: 'file', executable: true, sha256: sha256('a') }],
          },
        },
        first,
      ),
    )[2],
  ).toBe('service | build | file files/a became executable');
});

test.each<[string, Partial<ImageInputs>]>([
  ['dockerfile', { dockerfile: sha256('x') }],
  [
    'file content',
    { files: [{ path: 'files/a', type: 'file', executable: false, sha256: sha256('b') }] },
  ],
  [
    'file path',
    { files: [{ path: 'files/b', type: 'file', executable: false, sha256: sha256('a') }] },
  ],
  ['link target', { files: [{ path: 'files/a', type: 'symlink', target: 'b' }] }],
  ['debian list', { debian: { runtime: sha256('x') } }],
  ['python list', { python: { runtime: sha256('x'), build: sha256('none') } }],
  ['files of Go modules', { go: { files: sha256('x') } }],
  ['source', { sources: { keystone: 'git:0' } }],
  ['patch', { patches: { 'a.patches/001-x.patch': sha256('x') } }],
  ['argument', { args: { A: '1' } }],
  ['label', { labels: { a: '1' } }],
  ['unlocked', { unlocked: true }],
  ['network', { network: 'host' }],
])('changes the fingerprint with the %s', (_, change) => {
  expect(samplePlan({ base: change }).images[0]?.fingerprint).not.toBe(
    samplePlan().images[0]?.fingerprint,
  );
});

test('derives a content key from the digests of parents, not their fingerprints', () => {
  const record = inputRecord(inputsOf('service'), { base: sha256('1') as string as Fingerprint });
  const other = inputRecord(inputsOf('service'), { base: sha256('2') as string as Fingerprint });
  expect(contentKey(record, { base: digestOf('same') })).toBe(
    contentKey(other, { base: digestOf('same') }),
  );
  expect(contentKey(record, { base: digestOf('same') })).not.toBe(
    contentKey(record, { base: digestOf('other') }),
  );
});

test('builds a damaged stored image again, but not its descendants', () => {
  const made = samplePlan({}, samplePlan(), {}, ['base']);
  expect(
    made.images.filter(hasWork).map(({ image, action, reasons }) => [image, action, reasons]),
  ).toEqual([['base', 'build', [{ kind: 'damaged' }]]]);
  const before = lastBuilt((image) => ({
    record: samplePlan().images.find((each) => each.image === image)!.record,
  }));
  expect(explanationText(explainImage(made, 'base' as ImageName, before, () => undefined))).toBe(
    'base: nothing changed, but its stored blobs are damaged or missing',
  );
});

test('refuses to plan an image without inputs', () => {
  expect(() =>
    planBuild({
      graph: sampleGraph,
      series: SAMPLE_SERIES,
      platform: platform('linux/amd64'),
      origin: 'git',
      inputs: new Map(),
      stored: () => undefined,
      tests: () => 'passed',
      previous: () => undefined,
    }),
  ).toThrow('the fingerprint of base cannot be computed: its inputs are missing');
});

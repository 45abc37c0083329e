import { describe, expect, it } from 'vitest';
import type { Outcome } from '#build';
import { imageName, type ImageName } from '#core';
import type { ImageGraph } from '#graph';
import { type PlannedImage, type Reason } from '#plan';
import type { ImageSet } from '#release';
import { setChange, setChangeLines, type SetChangeInput } from './set-change.ts';

const ABOVE: Readonly<Record<string, readonly string[]>> = {
  base: [],
  redis: ['base'],
  web: ['base', 'redis'],
};
const graph = {
  order: Object.keys(ABOVE).map(imageName),
  images: new Map(Object.keys(ABOVE).map((name) => [imageName(name), {}])),
  ancestors: (image: ImageName) => ABOVE[image]!.map(imageName),
} as unknown as ImageGraph;
const setOf = (...names: readonly string[]) =>
  ({ images: names.map((name) => ({ name: imageName(name) })) }) as unknown as ImageSet;
const planned = (image: string, action: string, ...reasons: readonly Reason[]) =>
  ({ image: imageName(image), action, reasons }) as unknown as PlannedImage;
const ended = (image: string, more: object) =>
  ({ image: imageName(image), ...more }) as unknown as Outcome;
const failed = (image: string, code: string) =>
  ended(image, { type: 'failed', fault: { code, message: '' } });

describe('setChange', () => {
  const current = new Map(
    Object.keys(ABOVE).map((name) => [imageName(name), { state: 'current' as const }]),
  );
  const changeLines = (
    before: ImageSet | undefined,
    set: ImageSet,
    images: readonly PlannedImage[],
    outcomes: readonly Outcome[],
    locks: SetChangeInput['locks'] = current,
  ) =>
    setChangeLines(
      setChange({
        before,
        set,
        plan: { images } as unknown as SetChangeInput['plan'],
        outcomes,
        graph,
        locks,
      }),
    );

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'no image is missing',
      changeLines(setOf('base'), setOf('base', 'redis'), [], [ended('redis', { type: 'built' })]),
      [],
    ],
    [
      'tests fail and a child image is blocked',
      changeLines(
        setOf('base', 'redis', 'web'),
        setOf('base'),
        [planned('redis', 'reuse', { kind: 'retested' })],
        [failed('redis', 'image-tests-failed'), ended('web', { type: 'blocked', by: ['redis'] })],
      ),
      ['left the image set: redis (its tests failed); web (blocked by redis)'],
    ],
    [
      'a build fails for the first time',
      changeLines(
        undefined,
        setOf('base'),
        [],
        [ended('base', { type: 'built' }), failed('redis', 'build-failed')],
      ),
      ['not in the image set: redis (its build failed)'],
    ],
    [
      'the machine lacks something',
      changeLines(
        undefined,
        setOf(),
        [],
        [failed('base', 'engine-unreachable'), failed('redis', 'store-full')],
      ),
      ['not in the image set: base (the engine failed); redis (a disk was full)'],
    ],
    [
      'an image outside the run changed',
      changeLines(
        setOf('base', 'redis', 'web'),
        setOf('base'),
        [
          planned('redis', 'build', { kind: 'changed', difference: { input: 'file', name: 'a' } }),
          planned('web', 'build', {
            kind: 'changed',
            difference: { input: 'parent', name: 'base' },
          }),
        ],
        [ended('base', { type: 'reused' })],
      ),
      [
        'left the image set: redis (changed since it was built); web (its parent redis is not in it)',
      ],
    ],
    [
      'the store lost it',
      changeLines(setOf('redis'), setOf('base'), [planned('redis', 'build', { kind: 'lost' })], []),
      ['left the image set: redis (the store no longer has it)'],
    ],
    [
      'its tests changed',
      changeLines(
        setOf('redis'),
        setOf('base'),
        [planned('redis', 'reuse', { kind: 'retested' })],
        [],
      ),
      ['left the image set: redis (its tests changed and have not run since)'],
    ],
    [
      'its lock is out of date',
      changeLines(
        setOf('redis'),
        setOf('base'),
        [],
        [],
        new Map([[imageName('redis'), { state: 'stale' }]]),
      ),
      ['left the image set: redis (lock out of date)'],
    ],
    [
      'its definition was removed',
      changeLines(setOf('old', 'older'), setOf('base'), [], []),
      ['left the image set: old, older (no longer in the series)'],
    ],
  ])('lists the missing images if %s', (_, lines, expected) => {
    expect(lines).toEqual(expected);
  });
});

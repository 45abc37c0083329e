import type { ImageInputs } from '#context';
import {
  imageName,
  platform,
  series,
  sha256,
  digestOf,
  type Fingerprint,
  type ImageName,
} from '#core';
import type { ImageGraph } from '#graph';
import {
  planBuild,
  reasonText,
  type EarlierImages,
  type BuildPlan,
  type RecordedImage,
} from '../index.ts';

export const SAMPLE_SERIES = series('2026.1');

const LINKS: Readonly<Record<string, Record<string, string>>> = {
  base: {},
  builder: { base: 'base' },
  service: { base: 'base', builder: 'builder' },
};

export const sampleGraph = {
  order: Object.keys(LINKS),
  images: new Map(Object.entries(LINKS).map(([name, parents]) => [name, { name, parents }])),
} as unknown as ImageGraph;

export function inputsOf(name: string, change: Partial<ImageInputs> = {}): ImageInputs {
  return {
    image: imageName(name),
    series: SAMPLE_SERIES,
    platform: platform('linux/amd64'),
    dockerfile: sha256(name),
    files: [{ path: 'files/a', type: 'file', executable: false, sha256: sha256('a') }],
    debian: { runtime: sha256('list') },
    python: { runtime: sha256('none'), build: sha256('none') },
    sources: {},
    args: {},
    labels: {},
    unlocked: false,
    ...change,
  };
}

export function samplePlan(
  changes: Readonly<Record<string, Partial<ImageInputs>>> = {},
  last?: BuildPlan,
  tests: Readonly<Record<string, 'others' | 'nothing'>> = {},
  damaged: readonly string[] = [],
): BuildPlan {
  const before = new Map<ImageName, RecordedImage>(
    last?.images.map(({ image, record }) => [image, { record }]),
  );
  const built = new Map(
    last?.images.map((each) => [
      each.fingerprint,
      { digest: digestOf(each.image), isWhole: !damaged.includes(each.image) },
    ]),
  );
  return planBuild({
    graph: sampleGraph,
    series: SAMPLE_SERIES,
    platform: platform('linux/amd64'),
    origin: 'archive',
    inputs: new Map(
      Object.keys(LINKS).map((name) => [imageName(name), inputsOf(name, changes[name])]),
    ),
    stored: (fingerprint: Fingerprint) => built.get(fingerprint),
    tests: (image, digest) => (digest === digestOf(image) ? (tests[image] ?? 'passed') : 'nothing'),
    previous: (image) => before.get(image),
  });
}

export const lastBuilt = (get: EarlierImages['get']): EarlierImages => ({ of: 'build', get });

export const planOutline = (made: BuildPlan): string[] =>
  made.images.map(({ image, action, reasons }) =>
    [image, action, ...reasons.map(reasonText)].join(' | '),
  );

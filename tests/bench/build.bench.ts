import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImageName } from '#core';
import { readStoreIndex } from '#store';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { detailsOf } from '../../tools/cli/src/compose/details.ts';
import { ccpJson, REPOSITORY } from '../helpers/ccp.ts';
import { layerFacts, type LayerFacts } from './layer-facts.ts';
import { measure, median, report } from './measure.ts';

// Compares the sizes and times of the current images of a series with budgets and aims:
// `node build.bench.ts [SERIES] [--cold]`. `--cold` first builds all images without a build cache,
// from inputs in the input cache. Fails if an aim is missed.
const AIMS = {
  serviceAboveBaseMegabytes: 150,
  totalGigabytes: 3,
  coldMinutes: 25,
  secondBuildMilliseconds: 500,
};
const PYTHON_BASE = 'openstack-base';

const cold = process.argv.includes('--cold');
const [SERIES = '2026.1'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

interface Built {
  readonly result: {
    readonly complete: boolean;
    readonly seconds: number;
    readonly outcomes: readonly { readonly image: string; readonly seconds?: number }[];
  };
}

const built = cold
  ? await ccpJson<Built>(REPOSITORY, [
      'build',
      '--all',
      '--rebuild',
      '--no-cache',
      '--offline',
      '--series',
      SERIES,
    ])
  : undefined;
const project = openProject(REPOSITORY, SERIES);
const index = readStoreIndex(project.paths.store);
const plan = planProject(project, []);
const stored = new Map(
  plan.images
    .flatMap(({ fingerprint }) => index.byFingerprint.get(fingerprint) ?? [])
    .map((image) => [image.image, image]),
);
const names = project.graph.order.filter((name) => stored.has(name));
const definitionOf = (name: ImageName) => project.graph.images.get(name)!;
const baseOf = (name: ImageName): ImageName | undefined => definitionOf(name).parents['base'];

const known = new Map<string, Promise<LayerFacts>>();
const blob = (digest: string): string => join(project.paths.store, 'blobs', ...digest.split(':'));
const factsOf = (digest: string): Promise<LayerFacts> =>
  known.get(digest) ?? known.set(digest, layerFacts(blob(digest))).get(digest)!;
const layersOf = (name: ImageName): readonly { digest: string; size: number }[] =>
  (
    JSON.parse(readFileSync(blob(stored.get(name)!.digest), 'utf8')) as {
      layers: { digest: string; size: number }[];
    }
  ).layers;
const packagesOf = (name: ImageName): number => {
  const { debian, python } = detailsOf(project, name);
  const own =
    ['bootstrap', 'runtime'].flatMap((stage) => Object.keys(debian[stage] ?? {})).length +
    Object.keys(python['runtime'] ?? {}).length;
  const base = baseOf(name);
  return own + (base === undefined ? 0 : packagesOf(base));
};

const rows = [];
for (const name of names) {
  const { size, compressedSize } = stored.get(name)!;
  const { shipped, sizeBudget } = definitionOf(name);
  const [base, layers] = [baseOf(name), layersOf(name)];
  const below = new Set(base === undefined ? [] : layersOf(base).map(({ digest }) => digest));
  const facts = await Promise.all(layers.map(({ digest }) => factsOf(digest)));
  const shared = layers.reduce(
    (sum, { digest }, index) => sum + (below.has(digest) ? facts[index]!.unpacked : 0),
    0,
  );
  rows.push({
    image: name,
    shipped,
    base,
    unpacked: megabytes(size),
    compressed: megabytes(compressedSize),
    own: megabytes(size - shared),
    shared: megabytes(shared),
    files: facts.reduce((sum, { files }) => sum + files, 0),
    packages: packagesOf(name),
    budgetUsed: sizeBudget === undefined ? undefined : Math.round((size / sizeBudget) * 100),
    coldSeconds: built?.result.outcomes.find((outcome) => outcome.image === name)?.seconds,
    secondMilliseconds: Math.round(
      median(
        measure([join(REPOSITORY, 'ccp'), 'build', name, '--series', SERIES], REPOSITORY, 3).map(
          ({ milliseconds }) => milliseconds,
        ),
      ),
    ),
  });
}

const shippedLayers = new Map(
  names
    .filter((name) => definitionOf(name).shipped)
    .flatMap((name) => layersOf(name).map(({ digest, size }) => [digest, size] as const)),
);
let total = 0;
for (const digest of shippedLayers.keys()) total += (await factsOf(digest)).unpacked;
const compressed = [...shippedLayers.values()].reduce((sum, size) => sum + size, 0);
const second = Math.round(
  median(
    measure([join(REPOSITORY, 'ccp'), 'build', ...names, '--series', SERIES], REPOSITORY, 5).map(
      ({ milliseconds }) => milliseconds,
    ),
  ),
);

const heads = [
  'IMAGE',
  'UNPACKED',
  'PACKED',
  'OWN',
  'SHARED',
  'FILES',
  'PACKAGES',
  'BUDGET',
  'COLD',
  'SECOND',
];
const cells = rows.map((row) => [
  row.shipped ? row.image : `${row.image} (never shipped)`,
  ...[row.unpacked, row.compressed, row.own, row.shared].map((value) => `${value.toFixed(1)} MB`),
  String(row.files),
  String(row.packages),
  row.budgetUsed === undefined ? '-' : `${row.budgetUsed} %`,
  row.coldSeconds === undefined ? '-' : `${row.coldSeconds.toFixed(0)} s`,
  `${row.secondMilliseconds} ms`,
]);
const widths = heads.map((head, column) =>
  Math.max(head.length, ...cells.map((line) => line[column]!.length)),
);
for (const line of [heads, ...cells])
  process.stdout.write(
    `${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')}\n`,
  );

const missed = rows
  .filter((row) => row.base === PYTHON_BASE && row.own > AIMS.serviceAboveBaseMegabytes)
  .map(({ image }) => image);
const largest = Math.max(
  0,
  ...rows.filter((row) => row.base === PYTHON_BASE).map((row) => row.own),
);
process.stdout.write(
  `largest service above ${PYTHON_BASE} ${largest} MB (at most ${AIMS.serviceAboveBaseMegabytes}${missed.length === 0 ? '' : `; above it: ${missed.join(', ')}`})\n`,
);
const layers = `all layers of the shipped ones of ${names.length} of ${plan.images.length} images once`;
const [unpacked, packed] = [total, compressed].map((bytes) => `${(bytes / 1e9).toFixed(2)} GB`);
process.stdout.write(
  `${layers} ${unpacked} unpacked (at most ${AIMS.totalGigabytes}), ${packed} compressed\n`,
);
if (built !== undefined)
  process.stdout.write(
    `cold build of ${rows.length} images ${(built.result.seconds / 60).toFixed(1)} min (at most ${AIMS.coldMinutes})\n`,
  );
process.stdout.write(
  `second build of these ${names.length} images ${second} ms (at most ${AIMS.secondBuildMilliseconds})\n`,
);
report(`build-${SERIES}`, {
  series: SERIES,
  rows,
  totalBytes: total,
  totalCompressedBytes: compressed,
  coldSeconds: built?.result.seconds,
  secondBuildMilliseconds: second,
});
const kept =
  missed.length === 0 &&
  total <= AIMS.totalGigabytes * 1e9 &&
  second <= AIMS.secondBuildMilliseconds &&
  (built === undefined || built.result.seconds <= AIMS.coldMinutes * 60);
process.exitCode = kept ? 0 : 1;

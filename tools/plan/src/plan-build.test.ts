import { expect, test } from 'vitest';
import { imageName, platform, series, sha256, digestOf, type Fingerprint, type ImageName } from '#core';
import type { ImageGraph } from '#graph';
import type { ImageInputs } from '#inputs';
import {
  contentKey,
  explainImage,
  explanationText,
  hasWork,
  imageRecord,
  parsePlan,
  planBuild,
  planText,
  type EarlierImages,
  type BuildPlan,
  type RecordedImage,
} from './index.ts';

const SERIES = series('2026.1');
const LINKS: Readonly<Record<string, Record<string, string>>> = {
  base: {},
  builder: { base: 'base' },
  service: { base: 'base', builder: 'builder' },
};
const graph = {
  order: Object.keys(LINKS),
  images: new Map(Object.entries(LINKS).map(([name, parents]) => [name, { name, parents }])),
} as unknown as ImageGraph;

function inputsOf(name: string, change: Partial<ImageInputs> = {}): ImageInputs {
  return {
    image: imageName(name),
    series: SERIES,
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

function plan(
  changes: Readonly<Record<string, Partial<ImageInputs>>> = {},
  last?: BuildPlan,
  tests: Readonly<Record<string, 'others' | 'nothing'>> = {},
  damaged: readonly string[] = [],
): BuildPlan {
  const before = new Map<ImageName, RecordedImage>(last?.images.map(({ image, record }) => [image, { record }]));
  const built = new Map(last?.images.map((each) => [each.fingerprint, { digest: digestOf(each.image), isWhole: !damaged.includes(each.image) }]));
  return planBuild({
    graph,
    series: SERIES,
    platform: platform('linux/amd64'),
    origin: 'archive',
    inputs: new Map(Object.keys(LINKS).map((name) => [imageName(name), inputsOf(name, changes[name])])),
    stored: (fingerprint: Fingerprint) => built.get(fingerprint),
    tests: (image, digest) => (digest === digestOf(image) ? (tests[image] ?? 'passed') : 'nothing'),
    previous: (image) => before.get(image),
  });
}

const lastBuilt = (get: EarlierImages['get']): EarlierImages => ({ of: 'build', get });
const outline = (made: BuildPlan): string[] => made.images.map(({ image, action, reasons }) => [image, action, ...reasons].join(' | '));

test('a first plan builds all, an unchanged one reuses all', () => {
  const first = plan();
  expect(outline(first)).toEqual(['base | build | not built yet', 'builder | build | not built yet', 'service | build | not built yet']);
  expect(first.images[0]?.version).toBe(`2026.1-${first.images[0]?.fingerprint.slice(0, 32)}`);
  expect(outline(plan({}, first))).toEqual(['base | reuse', 'builder | reuse', 'service | reuse']);
});

test('a change reaches the image and its descendants, each with its reason', () => {
  const first = plan();
  expect(outline(plan({ builder: { debian: { runtime: sha256('other') } } }, first))).toEqual([
    'base | reuse',
    'builder | build | package list debian runtime changed',
    'service | build | parent builder (builder) changed',
  ]);
  expect(outline(plan({ service: { files: [{ path: 'files/a', type: 'file', executable: true, sha256: sha256('a') }] } }, first))[2]).toBe(
    'service | build | file files/a became executable',
  );
});

test.each<[string, Partial<ImageInputs>]>([
  ['dockerfile', { dockerfile: sha256('x') }],
  ['file content', { files: [{ path: 'files/a', type: 'file', executable: false, sha256: sha256('b') }] }],
  ['file path', { files: [{ path: 'files/b', type: 'file', executable: false, sha256: sha256('a') }] }],
  ['link target', { files: [{ path: 'files/a', type: 'symlink', target: 'b' }] }],
  ['debian list', { debian: { runtime: sha256('x') } }],
  ['python list', { python: { runtime: sha256('x'), build: sha256('none') } }],
  ['files of Go modules', { go: { files: sha256('x') } }],
  ['source', { sources: { keystone: 'git:0' } }],
  ['patch', { patches: { 'a.patches/001-x.patch': sha256('x') } }],
  ['argument', { args: { A: '1' } }],
  ['label', { labels: { a: '1' } }],
  ['unlocked', { unlocked: true }],
])('the fingerprint depends on the %s', (_, change) => {
  expect(plan({ base: change }).images[0]?.fingerprint).not.toBe(plan().images[0]?.fingerprint);
});

test('explain names packages, follows parents and says where nothing changed', () => {
  const first = plan();
  const now = plan({ base: { debian: { runtime: sha256('other') } } }, first);
  const details = (version: string) => ({ debian: { runtime: { libc6: version } }, python: {}, sources: {} });
  const previous = (image: ImageName): RecordedImage | undefined => {
    const record = first.images.find((each) => each.image === image)?.record;
    return record && { record, details: details('2.41-12') };
  };
  const text = explanationText(explainImage(now, imageName('builder'), lastBuilt(previous), () => details('2.41-13')));
  expect(text).toBe(['builder changed:', '  - parent base (base) changed', '    base changed:', '      - package runtime/libc6 2.41-12 -> 2.41-13'].join('\n'));
  const same = explainImage(plan({}, first), imageName('base'), lastBuilt(previous), () => details('2.41-12'));
  expect(explanationText(same)).toBe('base: nothing changed');
});

test('explain names the lines of a Dockerfile that changed, and a parent that was built in between', () => {
  const first = plan();
  const now = plan({ base: { dockerfile: sha256('other') } }, first);
  const details = (dockerfile: string) => ({ debian: {}, python: {}, sources: {}, dockerfile });
  const recorded = (made: BuildPlan, image: ImageName, dockerfile: string): RecordedImage => ({
    record: made.images.find((each) => each.image === image)!.record,
    details: details(dockerfile),
  });
  const explain = (before: string, after: string) =>
    explanationText(
      explainImage(
        now,
        imageName('base'),
        lastBuilt(() => recorded(first, imageName('base'), before)),
        () => details(after),
      ),
    );
  const told = (what: string) => `base changed:\n  - the rendered Dockerfile changed at line ${what}`;
  expect(explain('FROM a\nRUN b\nRUN c\n', 'FROM a\nRUN x\nRUN c\n')).toBe(told('2: "RUN b" -> "RUN x"'));
  expect(explain('FROM a\nRUN c\n', 'FROM a\nRUN c\nRUN c\nUSER d\n')).toBe(told('3: "RUN c" is new (in all 2 lines added)'));
  expect(explain('FROM a\nRUN b\n', 'FROM a\n')).toBe(told('2: "RUN b" was removed'));
  expect(explain('FROM a\nRUN b\nRUN c\n', '# 1\nFROM a\nRUN b\nUSER d\n')).toBe(told('1: "# 1" is new; at line 4: "RUN c" -> "USER d"'));

  const rebuilt = plan({ base: { dockerfile: sha256('other') } }, { ...now, images: now.images.filter(({ image }) => image === 'base') });
  const previous = (image: ImageName) => recorded(image === 'base' ? now : first, image, '');
  expect(explanationText(explainImage(rebuilt, imageName('builder'), lastBuilt(previous), () => details('')))).toBe(
    'builder changed:\n  - parent base (base) changed\n    base: built since builder was',
  );
  const back = plan({}, first);
  const builtSince = lastBuilt((image) => recorded(now, image, ''));
  expect(explanationText(explainImage(back, imageName('base'), builtSince, () => details('')))).toBe('base: nothing changed');
  const below = plan({}, { ...first, images: first.images.filter(({ image }) => image === 'base') });
  expect(explanationText(explainImage(below, imageName('builder'), builtSince, () => details('')))).toBe(
    'builder changed:\n  - parent base (base) changed\n    base changed:\n      - the rendered Dockerfile changed',
  );
});

test('explain against another plan knows nothing of what was built', () => {
  const first = plan();
  const against = (before: BuildPlan, now: BuildPlan) => {
    const get = (image: ImageName): RecordedImage | undefined => before.images.filter((each) => each.image === image).map(({ record }) => ({ record }))[0];
    return explanationText(explainImage(now, imageName('builder'), { of: 'plan', get }, () => undefined));
  };
  expect(against(first, plan())).toBe('builder: nothing changed');
  expect(against(first, plan({}, first, { builder: 'others' }))).toBe('builder: nothing changed');
  expect(against({ ...first, images: [] }, plan({}, first))).toBe('builder: not in the plan before');
  const moved = plan({ base: { args: { A: '1' } } });
  expect(against({ ...moved, images: [...first.images.slice(0, 1), ...moved.images.slice(1)] }, first)).toBe(
    'builder changed:\n  - parent base (base) changed',
  );
});

test('explain names Go modules', () => {
  const inputs = (list: string) => ({ base: { go: { files: sha256(list) } } });
  const first = plan(inputs('before'));
  const details = (version: string) => ({ debian: {}, python: {}, go: { files: { 'x.test/a': version } }, sources: {} });
  const previous = (): RecordedImage => ({ record: first.images[0]!.record, details: details('v1.0.0') });
  const explained = explainImage(plan(inputs('now'), first), imageName('base'), lastBuilt(previous), () => details('v1.1.0'));
  expect(explanationText(explained)).toBe('base changed:\n  - package files/x.test/a v1.0.0 -> v1.1.0');
});

test('a content key follows the digests of parents, not their fingerprints', () => {
  const record = imageRecord(inputsOf('service'), { base: sha256('1') as string as Fingerprint });
  const other = imageRecord(inputsOf('service'), { base: sha256('2') as string as Fingerprint });
  expect(contentKey(record, { base: digestOf('same') })).toBe(contentKey(other, { base: digestOf('same') }));
  expect(contentKey(record, { base: digestOf('same') })).not.toBe(contentKey(record, { base: digestOf('other') }));
});

test('a plan file is read back, and refused when edited or newer', () => {
  const made = plan();
  expect(parsePlan(planText(made), 'plan.json')).toEqual(made);
  expect(() => parsePlan(planText(made).replace('"unlocked": false', '"unlocked": true'), 'plan.json')).toThrow(
    'plan.json is not a plan: the fingerprint of base does not follow from its record',
  );
  expect(() => parsePlan('{"name":"ccp"}', 'package.json')).toThrow('package.json is not a plan: it has no format number');
  expect(() => parsePlan('{"format":2}', 'plan.json')).toThrow('plan.json has format 2, this tool reads format 1');
  expect(() => parsePlan('[', 'plan.json')).toThrow(/^plan\.json is not a plan: it is not JSON/);
});

test.each([
  ['others', 'its tests changed', 'base: only its tests changed'],
  ['nothing', 'no run of its tests is known that passed', 'base: nothing changed, but no run of its tests is known that passed'],
] as const)('what is stored and passed %s of its tests is tested again, and nothing below it is built', (passed, reason, explained) => {
  const made = plan({}, plan(), { base: passed });
  expect(outline(made).filter((line) => line.includes(' | reuse | '))).toEqual([`base | reuse | ${reason}`]);
  expect(made.images.filter(hasWork).map(({ image }) => image)).toEqual(['base']);
  const before = lastBuilt(() => undefined);
  expect(explanationText(explainImage(made, 'base' as ImageName, before, () => undefined))).toBe(explained);
});

test('what is stored and not whole is built again, and nothing below it', () => {
  const made = plan({}, plan(), {}, ['base']);
  expect(made.images.filter(hasWork).map(({ image, action, reasons }) => [image, action, reasons])).toEqual([
    ['base', 'build', ['what the store has of it is damaged or not all there']],
  ]);
  const before = lastBuilt((image) => ({ record: plan().images.find((each) => each.image === image)!.record }));
  expect(explanationText(explainImage(made, 'base' as ImageName, before, () => undefined))).toBe(
    'base: nothing changed, but what the store has of it is damaged or not all there',
  );
});

test('an image without inputs stops the plan', () => {
  expect(() =>
    planBuild({
      graph,
      series: SERIES,
      platform: platform('linux/amd64'),
      origin: 'git',
      inputs: new Map(),
      stored: () => undefined,
      tests: () => 'passed',
      previous: () => undefined,
    }),
  ).toThrow('the fingerprint of base cannot be computed: its inputs are not known');
});

import { expect, test } from 'vitest';
import { imageName, sha256, type ImageName } from '#core';
import { explainImage, explanationText, type BuildPlan, type RecordedImage } from './index.ts';
import { samplePlan, lastBuilt } from './testing/sample-plan.ts';

test('lists packages, follows parents and reports unchanged images', () => {
  const first = samplePlan();
  const now = samplePlan({ base: { debian: { runtime: sha256('other') } } }, first);
  const details = (version: string) => ({
    debian: { runtime: { libc6: version } },
    python: {},
    sources: {},
  });
  const previous = (image: ImageName): RecordedImage | undefined => {
    const record = first.images.find((each) => each.image === image)?.record;
    return record && { record, details: details('2.41-12') };
  };
  const text = explanationText(
    explainImage(now, imageName('builder'), lastBuilt(previous), () => details('2.41-13')),
  );
  expect(text).toBe(
    [
      'builder changed:',
      '  - parent base (base) changed',
      '    base changed:',
      '      - package runtime/libc6 2.41-12 -> 2.41-13',
    ].join('\n'),
  );
  const same = explainImage(samplePlan({}, first), imageName('base'), lastBuilt(previous), () =>
    details('2.41-12'),
  );
  expect(explanationText(same)).toBe('base: nothing changed');
});

test('names files, links and folders that an image no longer has as inputs, or has now', () => {
  const files = [
    { path: 'a', type: 'file', executable: false, sha256: sha256('a') },
    { path: 'b', type: 'directory' },
    { path: 'c', type: 'symlink', target: 'a' },
  ] as const;
  const [none, all] = [samplePlan({ base: { files: [] } }), samplePlan({ base: { files } })];
  const explain = (before: BuildPlan, now: BuildPlan) => {
    const record = before.images.find(({ image }) => image === 'base')!.record;
    const given = { debian: {}, python: {}, sources: {} };
    const previous = lastBuilt(() => ({ record }));
    return explanationText(explainImage(now, imageName('base'), previous, () => given));
  };
  expect(explain(all, none)).toBe(`base changed:
  - file a is no longer an input
  - folder b is no longer an input
  - link c is no longer an input`);
  expect(explain(none, all)).toBe(`base changed:
  - file a is a new input
  - folder b is a new input
  - link c is a new input`);
});

test('lists changed Dockerfile lines, and a parent that was built after its child', () => {
  const first = samplePlan();
  const now = samplePlan({ base: { dockerfile: sha256('other') } }, first);
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
  const explained = (what: string) =>
    `base changed:\n  - the rendered Dockerfile changed at line ${what}`;
  expect(explain('FROM a\nRUN b\nRUN c\n', 'FROM a\nRUN x\nRUN c\n')).toBe(
    explained('2: "RUN b" -> "RUN x"'),
  );
  expect(explain('FROM a\nRUN c\n', 'FROM a\nRUN c\nRUN c\nUSER d\n')).toBe(
    explained('3: "RUN c" is new (in all 2 lines added)'),
  );
  expect(explain('FROM a\nRUN b\n', 'FROM a\n')).toBe(explained('2: "RUN b" was removed'));
  expect(explain('FROM a\nRUN b\nRUN c\n', '# 1\nFROM a\nRUN b\nUSER d\n')).toBe(
    explained('1: "# 1" is new; at line 4: "RUN c" -> "USER d"'),
  );

  const rebuilt = samplePlan(
    { base: { dockerfile: sha256('other') } },
    { ...now, images: now.images.filter(({ image }) => image === 'base') },
  );
  const previous = (image: ImageName) => recorded(image === 'base' ? now : first, image, '');
  expect(
    explanationText(
      explainImage(rebuilt, imageName('builder'), lastBuilt(previous), () => details('')),
    ),
  ).toBe('builder changed:\n  - parent base (base) changed\n    base: built after builder');
  const back = samplePlan({}, first);
  const builtSince = lastBuilt((image) => recorded(now, image, ''));
  expect(
    explanationText(explainImage(back, imageName('base'), builtSince, () => details(''))),
  ).toBe('base: nothing changed');
  const below = samplePlan(
    {},
    { ...first, images: first.images.filter(({ image }) => image === 'base') },
  );
  expect(
    explanationText(explainImage(below, imageName('builder'), builtSince, () => details(''))),
  ).toBe(
    'builder changed:\n  - parent base (base) changed\n    base changed:\n      - the rendered Dockerfile changed',
  );
});

test('ignores builds when it compares with another plan', () => {
  const first = samplePlan();
  const against = (before: BuildPlan, now: BuildPlan) => {
    const get = (image: ImageName): RecordedImage | undefined =>
      before.images.filter((each) => each.image === image).map(({ record }) => ({ record }))[0];
    return explanationText(
      explainImage(now, imageName('builder'), { of: 'plan', get }, () => undefined),
    );
  };
  expect(against(first, samplePlan())).toBe('builder: nothing changed');
  expect(against(first, samplePlan({}, first, { builder: 'others' }))).toBe(
    'builder: nothing changed',
  );
  expect(against({ ...first, images: [] }, samplePlan({}, first))).toBe(
    'builder: not in the earlier plan',
  );
  const moved = samplePlan({ base: { args: { A: '1' } } });
  expect(
    against({ ...moved, images: [...first.images.slice(0, 1), ...moved.images.slice(1)] }, first),
  ).toBe('builder changed:\n  - parent base (base) changed');
});

test('lists Go modules', () => {
  const inputs = (list: string) => ({ base: { go: { files: sha256(list) } } });
  const first = samplePlan(inputs('before'));
  const details = (version: string) => ({
    debian: {},
    python: {},
    go: { files: { 'x.test/a': version } },
    sources: {},
  });
  const previous = (): RecordedImage => ({
    record: first.images[0]!.record,
    details: details('v1.0.0'),
  });
  const explained = explainImage(
    samplePlan(inputs('now'), first),
    imageName('base'),
    lastBuilt(previous),
    () => details('v1.1.0'),
  );
  expect(explanationText(explained)).toBe(
    'base changed:\n  - package files/x.test/a v1.0.0 -> v1.1.0',
  );
});

import { expect, it } from 'vitest';
import { checkNewVersion, parseVersion, sortVersions, type ReleaseVersion } from './versions.ts';

const versions = (...texts: readonly string[]): readonly ReleaseVersion[] =>
  texts.map((text) => parseVersion(text)!);

it.each([
  ['2026.1.0', []],
  ['2026.1.0-rc.1', []],
  ['2026.1.0', ['2026.1.0-rc.2', '2025.2.7']],
  ['2026.1.3', ['2026.1.0', '2026.1.1', '2026.1.2', '2026.1.3-rc.1']],
  ['2026.1.1-rc.10', ['2026.1.0', '2026.1.1-rc.9']],
])('accepts %s after %j', (text, existing) => {
  expect(checkNewVersion(text, '2026.1', versions(...existing)).text).toBe(text);
});

it.each([
  ['2026.1.1', [], '2026.1.1 is not the next version'],
  ['2026.1.0', ['2026.1.0'], '2026.1.0 is not the next version'],
  ['2026.1.2', ['2026.1.0'], '2026.1.2 is not the next version'],
  ['2025.2.0', [], '2025.2.0 is not a version of series 2026.1'],
  ['2026.1.0-rc.1', ['2026.1.0-rc.2'], '2026.1.0-rc.1 is not higher than 2026.1.0-rc.2'],
  ['v2026.1.0', [], 'v2026.1.0 is not a version'],
  ['2026.1.0+build', [], '2026.1.0+build is not a version'],
  ['2026.1', [], '2026.1 is not a version'],
])('refuses %s after %j', (text, existing, message) => {
  expect(() => checkNewVersion(text, '2026.1', versions(...existing))).toThrow(message);
});

it('accepts the next version after 200,000 others', () => {
  const existing = Array.from({ length: 200_000 }, (_, patch): ReleaseVersion => {
    return { text: `2026.1.${patch}`, series: '2026.1', patch, isCandidate: false };
  });
  expect(checkNewVersion('2026.1.200000', '2026.1', existing).patch).toBe(200_000);
});

it('names the next version, and refuses series that are not stable', () => {
  expect(() => checkNewVersion('2026.1.9', '2026.1', versions('2026.1.4'))).toThrow(
    expect.objectContaining({
      code: 'release-version',
      hint: 'the next release is 2026.1.5, its candidates are 2026.1.5-rc.1 and so on',
    }),
  );
  expect(() => checkNewVersion('1.0.0', 'master', [])).toThrow(
    '1.0.0 cannot be a release of master',
  );
});

it('sorts versions by their numbers', () => {
  const texts = ['2026.1.10', '2026.1.2', '2026.1.2-rc.1', '2025.2.3'];
  expect(sortVersions(versions(...texts)).map(({ text }) => text)).toEqual([
    '2025.2.3',
    '2026.1.2-rc.1',
    '2026.1.2',
    '2026.1.10',
  ]);
});

import { expect, test } from 'vitest';
import { CcpError, sha256 } from '#core';
import type { LockedFile } from '../locked-file.ts';
import { mergeFailures } from './merge-failures.ts';

const debs = (count: number, archive: 'debian' | 'debian-security' = 'debian'): LockedFile[] =>
  Array.from({ length: count }, (_, index) => ({
    kind: 'debian',
    archive,
    pool: `pool/${index}.deb`,
    sha256: sha256(`${archive} ${index}`),
    size: 1,
  }));
const gone = (files: readonly LockedFile[], code = 'file-gone') =>
  files.map((file, index) => ({
    file,
    name: `${index}.deb`,
    error: new CcpError({
      code,
      message: `${index}.deb is no longer at URL`,
      hint: 'lock newer packages',
    }),
  }));
const texts = (findings: readonly CcpError[]) =>
  findings.map(({ message, hint }) => `${message} -> ${hint}`);

const SIX =
  '6 files could not be fetched: 0.deb is no longer at URL; the same error for 1.deb, 2.deb and 3 more';

test('reports up to five failures separately', () => {
  expect(texts(mergeFailures(gone(debs(2)), debs(2)))).toEqual([
    '0.deb is no longer at URL -> lock newer packages',
    '1.deb is no longer at URL -> lock newer packages',
  ]);
});

test('lists the names of all files of a merged error as data', () => {
  const [merged] = mergeFailures(gone(debs(6)), debs(7));
  expect(merged?.inputs).toEqual(['0.deb', '1.deb', '2.deb', '3.deb', '4.deb', '5.deb']);
});

test.each([
  [
    'all files of the archive, so its address is wrong',
    gone(debs(6)),
    [...debs(6), ...debs(3, 'debian-security')],
    [
      `${SIX} -> the mirror has none of these files: check its address ("mirrors.debian" in .ccp.yaml)`,
    ],
  ],
  ['some files of the archive', gone(debs(6)), debs(7), [`${SIX} -> lock newer packages`]],
  ['refused', gone(debs(6), 'mirror-refused'), debs(6), [`${SIX} -> lock newer packages`]],
  [
    'from two archives',
    [...gone(debs(6)), ...gone(debs(1, 'debian-security'))],
    debs(9),
    ['0.deb is no longer at URL -> lock newer packages', `${SIX} -> lock newer packages`],
  ],
] as const)('merges many failures into one error: %s', (_, failures, requested, expected) => {
  expect(texts(mergeFailures(failures, requested))).toEqual(expected);
});

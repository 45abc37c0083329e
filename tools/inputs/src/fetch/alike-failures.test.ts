import { expect, test } from 'vitest';
import { CcpError, sha256 } from '#core';
import type { LockedFile } from '../types.ts';
import { alikeFailures } from './alike-failures.ts';

const debs = (count: number, archive: 'debian' | 'debian-security' = 'debian'): LockedFile[] =>
  Array.from({ length: count }, (_, index) => ({ kind: 'debian', archive, pool: `pool/${index}.deb`, sha256: sha256(`${archive} ${index}`), size: 1 }));
const gone = (files: readonly LockedFile[], code = 'file-gone') =>
  files.map((file, index) => ({
    file,
    name: `${index}.deb`,
    error: new CcpError({ code, message: `${index}.deb is no longer at URL`, hint: 'the archive has moved on' }),
  }));
const told = (findings: readonly CcpError[]) => findings.map(({ message, hint }) => `${message} -> ${hint}`);

const SIX = '6 files cannot be had: 0.deb is no longer at URL; the same for 1.deb, 2.deb and 3 more';

test('a few failures are told one by one', () => {
  expect(told(alikeFailures(gone(debs(2)), debs(2)))).toEqual([
    '0.deb is no longer at URL -> the archive has moved on',
    '1.deb is no longer at URL -> the archive has moved on',
  ]);
});

test.each([
  [
    'all of the archive, so its address is wrong',
    gone(debs(6)),
    [...debs(6), ...debs(3, 'debian-security')],
    [`${SIX} -> none of them is there: check the mirror's address ("mirrors.debian" in .ccp.yaml)`],
  ],
  ['not all of it, so it moved on', gone(debs(6)), debs(7), [`${SIX} -> the archive has moved on`]],
  ['refused', gone(debs(6), 'mirror-refused'), debs(6), [`${SIX} -> the archive has moved on`]],
  [
    'of two archives',
    [...gone(debs(6)), ...gone(debs(1, 'debian-security'))],
    debs(9),
    ['0.deb is no longer at URL -> the archive has moved on', `${SIX} -> the archive has moved on`],
  ],
] as const)('many are one finding: %s', (_, failures, asked, expected) => {
  expect(told(alikeFailures(failures, asked))).toEqual(expected);
});

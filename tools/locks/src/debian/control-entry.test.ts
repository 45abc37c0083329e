import { describe, expect, it } from 'vitest';
import type { Sha256 } from '#core';
import { fuzz, FUZZ_TIMEOUT_MS, mutated } from '../../../../tests/helpers/fuzz.ts';
import { controlEntry } from './control-entry.ts';
import { parseStanza } from './package-lists.ts';

const HASH = 'a'.repeat(64) as Sha256;
const ITEM = {
  name: 'libc6',
  version: '2.41-12',
  architecture: 'amd64',
  sha256: HASH,
  size: 5,
  archive: 'debian',
  pool: 'pool/main/g/glibc/libc6_2.41-12_amd64.deb',
} as const;
const CONTROL =
  'Architecture: amd64\nPackage: libc6\nSource: glibc\nVersion: 2.41-12\nDepends: libgcc-s1,\n libcrypt1\nDescription: GNU C Library\n long\n .\n text\n';

describe('the entry of a locked package', () => {
  it('has the fields of its control file, and the file of the lock', () => {
    const entry = controlEntry(ITEM, CONTROL);
    expect(entry.stanza).toBe(
      `Package: libc6\nVersion: 2.41-12\nArchitecture: amd64\nSource: glibc\nDepends: libgcc-s1,\n libcrypt1\nDescription: GNU C Library\n long\n .\n text\nFilename: ${ITEM.pool}\nSize: 5\nSHA256: ${HASH}`,
    );
    expect(parseStanza(entry.stanza, 'debian')).toEqual(entry);
  });

  it('has the spelling of the lock', () => {
    const spaced = CONTROL.replace('Architecture: ', 'Architecture: \t ');
    expect(controlEntry(ITEM, spaced)).toEqual(controlEntry(ITEM, CONTROL));
  });

  it('has no fields of the control file that name another file or state', () => {
    const forged = `${CONTROL}SHA256: ${'b'.repeat(64)}\nfilename: pool/main/x/x_1_amd64.deb\nStatus: purge ok\nConffiles:\n /etc/x 1\n`;
    expect(controlEntry(ITEM, forged)).toEqual(controlEntry(ITEM, CONTROL));
  });

  it.each([
    ['', 'is not one paragraph of fields'],
    [`${CONTROL}\nPackage: evil\n`, 'is not one paragraph of fields'],
    [` x\n${CONTROL}`, 'is not one paragraph of fields'],
    [`${CONTROL}package: evil\n`, 'has the field package twice'],
    [CONTROL.replace('glibc', 'gl\rc'), 'has control characters'],
    [CONTROL.replace('2.41-12', '2.41-13'), 'says "2.41-13", and the lock "2.41-12"'],
    [CONTROL.replace('Package: libc6', 'Package: evil'), 'says "evil", and the lock "libc6"'],
    [CONTROL.replace('amd64', 'all'), 'says "all", and the lock "amd64"'],
  ])('is refused for %j', (control, why) => {
    expect(() => controlEntry(ITEM, control)).toThrow(
      `the control file of libc6 2.41-12 (${HASH}) ${why}`,
    );
  });

  it(
    'is one stanza of the locked file for any control file',
    () =>
      fuzz(2000, (random) => {
        try {
          const entry = controlEntry(ITEM, mutated(random, Buffer.from(CONTROL)).toString());
          expect(entry.stanza).not.toMatch(/\n\s*\n/);
          expect(parseStanza(entry.stanza, 'debian').package).toEqual(ITEM);
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'package-invalid' });
        }
      }),
    FUZZ_TIMEOUT_MS,
  );
});

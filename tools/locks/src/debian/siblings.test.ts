import { expect, it } from 'vitest';
import { CcpError, sha256 } from '#core';
import type { DebianPackage } from '../types.ts';
import { siblingsOf } from './siblings.ts';

const packageOf = (name: string): DebianPackage => ({
  name,
  version: '1',
  architecture: 'amd64',
  archive: 'debian',
  pool: `pool/main/g/glibc/${name}_1_amd64.deb`,
  size: 1,
  sha256: sha256(name),
});
const parent = packageOf('libc6');
const nothing = { find: () => undefined, ofSources: () => [] };
const siblings = (code: string) =>
  siblingsOf([{ package: parent, stanza: '' }], [packageOf('libc6-dev')], {
    lists: nothing,
    stanzas: { ...nothing, keep: () => undefined },
    controls: () => Promise.reject(new CcpError({ code, message: 'a' })),
  });

it.each(['file-gone', 'checksum-mismatch', 'package-invalid'])(
  'leaves out a package whose file has the fault %s',
  async (code) => {
    expect(await siblings(code)).toEqual({ entries: [], dropped: [] });
  },
);

it.each(['mirror-unreachable', 'mirror-refused', 'cancelled'])(
  'fails with %s, so that a fault of the network changes no lock',
  async (code) => {
    await expect(siblings(code)).rejects.toMatchObject({ code });
  },
);

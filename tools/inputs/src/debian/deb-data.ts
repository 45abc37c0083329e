import { promisify } from 'node:util';
import { gunzip, zstdDecompress } from 'node:zlib';
import { readAr } from './ar.ts';

const DECODERS: Readonly<Record<string, (data: Uint8Array) => Promise<Uint8Array>>> = {
  'data.tar': (data) => Promise.resolve(data),
  'data.tar.gz': promisify(gunzip),
  'data.tar.zst': promisify(zstdDecompress),
  'data.tar.xz': async (data) => {
    const { decompress } = await import('@napi-rs/lzma/xz');
    return decompress(data);
  },
};

/** The tar of a .deb's files, unpacked. Raises a `RangeError` or the decoder's error where the package is not as deb(5) says. */
export async function debData(deb: Uint8Array): Promise<Uint8Array> {
  const members = readAr(deb);
  const version = members[0]?.name === 'debian-binary' ? Buffer.from(members[0].data).toString('latin1') : '';
  if (!version.startsWith('2.')) throw new RangeError('it is not a package of format 2');
  const member = members.find(({ name }) => name.startsWith('data.tar'));
  const decode = member === undefined ? undefined : DECODERS[member.name];
  if (member === undefined || decode === undefined) throw new RangeError(`its files are in ${member?.name ?? 'no data.tar'}, which is not known here`);
  return decode(member.data);
}

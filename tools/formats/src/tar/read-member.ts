import { readCount, readNumber, readText } from './header-fields.ts';
import { readGnuSparse, readPaxSparse, type SparseMap } from './sparse.ts';
import {
  BLOCK,
  canonicalPath,
  checkTarget,
  layerInvalid,
  padded,
  quoteName,
  type MemberType,
  type TarMember,
  type TarSource,
} from './tar-member.ts';

const TYPES: Readonly<Record<string, MemberType>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  S: 'file',
  '1': 'link',
  '2': 'symlink',
  '5': 'directory',
  '6': 'fifo',
};
const DEVICES: Readonly<Record<string, string>> = { '3': 'character', '4': 'block' };
const XATTR = 'SCHILY.xattr.';
const MAX_ID = 2 ** 32 - 2;

/**
 * The member with the header `block` at byte `at` and the extended records `pax`; `end` is the
 * offset of the next header. Throws `layer-invalid`.
 */
export function readMember(
  source: TarSource,
  block: Buffer,
  at: number,
  pax: ReadonlyMap<string, string>,
): { readonly entry: TarMember; readonly end: number } {
  const flag = String.fromCharCode(block[156] ?? 0);
  const raw = rawName(block, pax);
  const path = canonicalPath(raw, at);
  const known = TYPES[flag];
  if (known === undefined)
    throw layerInvalid(
      at,
      flag in DEVICES
        ? `${quoteName(path)} is a ${DEVICES[flag]} device`
        : `${quoteName(path)} has the unknown type ${JSON.stringify(flag)}`,
    );
  const type = known === 'file' && raw.endsWith('/') ? 'directory' : known;
  if (path === '' && type !== 'directory')
    throw layerInvalid(at, `the root of the image is a ${type}`);
  const number = (key: string, offset: number, length: number): number => {
    const text = pax.get(key);
    if (text === undefined) return readNumber(block, offset, length, at);
    if (!/^-?\d{1,20}(?:\.\d{0,30})?$/.test(text))
      throw layerInvalid(at, `the PAX record ${key} of ${quoteName(path)} is not a number`);
    return Math.floor(Number(text));
  };
  const id = (key: string, offset: number): number => {
    const value = number(key, offset, 8);
    if (value >= 0 && value <= MAX_ID) return value;
    throw layerInvalid(at, `${quoteName(path)} has the ${key} ${value}`);
  };
  const stored = number('size', 124, 12);
  if (stored < 0) throw layerInvalid(at, `the size of ${quoteName(path)} is negative`);
  if (stored > 0 && type !== 'file')
    throw layerInvalid(at, `${quoteName(path)} is a ${type} with content`);
  const content = readContent(source, flag, at, stored, pax, path);
  const end = content.dataAt + padded(stored);
  if (end > source.size) throw layerInvalid(at, 'it is truncated');
  const entry: TarMember = {
    path,
    type,
    target: targetOf(type, pax.get('linkpath') ?? readText(block, 157, 100), path, at),
    mode: readCount(block, 100, 8, at) & 0o7777,
    uid: id('uid', 108),
    gid: id('gid', 116),
    mtime: number('mtime', 136, 12),
    size: content.size,
    xattrs: new Map(
      [...pax]
        .filter(([key]) => key.startsWith(XATTR))
        .map(([key, value]) => [key.slice(XATTR.length), value]),
    ),
    segments: content.segments,
  };
  return { entry, end };
}

/** The member's name: from PAX sparse or PAX records, or from ustar's two fields. */
function rawName(block: Buffer, pax: ReadonlyMap<string, string>): string {
  const posix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = posix ? readText(block, 345, 155) : '';
  const short = readText(block, 0, 100);
  return (
    pax.get('GNU.sparse.name') ?? pax.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`)
  );
}

function targetOf(type: MemberType, raw: string, path: string, at: number): string {
  if (type === 'link') return canonicalPath(raw, at);
  return type === 'symlink' ? checkTarget(raw, path, at) : '';
}

function readContent(
  source: TarSource,
  flag: string,
  at: number,
  stored: number,
  pax: ReadonlyMap<string, string>,
  path: string,
): SparseMap & { readonly dataAt: number } {
  const dataAt = at + BLOCK;
  if (flag === 'S') return readGnuSparse(source, at, stored, path);
  if (pax.get('GNU.sparse.major') === '1') {
    const size = pax.get('GNU.sparse.realsize') ?? '';
    if (!/^\d{1,15}$/.test(size))
      throw layerInvalid(at, `the sparse file ${quoteName(path)} has no valid size`);
    return { ...readPaxSparse(source, dataAt, stored, Number(size), path), dataAt };
  }
  for (const key of pax.keys()) {
    if (key.startsWith('GNU.sparse.'))
      throw layerInvalid(
        at,
        `the PAX record ${quoteName(key)} of ${quoteName(path)} belongs to an unsupported old sparse format`,
      );
  }
  return {
    size: stored,
    segments: stored > 0 ? [{ at: 0, from: dataAt, length: stored }] : [],
    dataAt,
  };
}

import { checksumOf, readNumber, readText } from './header-fields.ts';
import { parsePax, type PaxRecord } from './pax.ts';
import { readGnuSparse, readPaxSparse, type SparseMap } from './sparse.ts';
import { BLOCK, canonicalPath, layerInvalid, padded, type EntryType, type TarEntry, type TarSource } from './tar-entry.ts';

const TYPES: Readonly<Record<string, EntryType>> = {
  '\0': 'file',
  '0': 'file',
  '7': 'file',
  S: 'file',
  '1': 'link',
  '2': 'symlink',
  '3': 'character',
  '4': 'block',
  '5': 'directory',
  '6': 'fifo',
};
const XATTR = 'SCHILY.xattr.';
const MAX_EXTENDED = 1 << 20;

/**
 * The members of a tar (ustar, PAX, GNU, v7) in order, with their extended headers resolved; content stays where it is.
 * Raises `layer-invalid`, also for what cannot be kept: unknown member types, old PAX sparse formats, a cut end.
 */
export function scanTar(source: TarSource): TarEntry[] {
  const entries: TarEntry[] = [];
  let global: readonly PaxRecord[] = [];
  let pending: PaxRecord[] = [];
  let at = 0;
  while (at + BLOCK <= source.size) {
    const block = Buffer.from(source.read(at, BLOCK));
    if (block[0] === 0 && block.every((byte) => byte === 0)) break;
    checkHeader(block, at);
    const flag = String.fromCharCode(block[156] ?? 0);
    const stored = readNumber(block, 124, 12, at);
    const dataAt = at + BLOCK;
    if ('xgLK'.includes(flag)) {
      if (stored > MAX_EXTENDED || dataAt + stored > source.size) throw layerInvalid(at, 'an extended header is too large');
      const data = Buffer.from(source.read(dataAt, stored));
      if (flag === 'x') pending.push(...parsePax(data, dataAt));
      else if (flag === 'g') global = parsePax(data, dataAt);
      else pending.push([flag === 'L' ? 'path' : 'linkpath', readText(data, 0, data.length)]);
      at = dataAt + padded(stored);
      continue;
    }
    const member = readMember(source, block, at, new Map([...global, ...pending]));
    entries.push(member.entry);
    pending = [];
    at = member.end;
  }
  if (at > source.size || pending.length > 0) throw layerInvalid(at, 'its end is missing');
  return entries;
}

function checkHeader(block: Buffer, at: number): void {
  const said = readNumber(block, 148, 8, at);
  const sum = checksumOf(block);
  if (said === sum) return;
  throw layerInvalid(at, `a header's checksum is ${sum}, not ${said}`);
}

function readMember(source: TarSource, block: Buffer, at: number, pax: ReadonlyMap<string, string>): { entry: TarEntry; end: number } {
  const flag = String.fromCharCode(block[156] ?? 0);
  const known = TYPES[flag];
  if (known === undefined) throw layerInvalid(at, `a member has the unknown type ${JSON.stringify(flag)}`);
  const posix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = posix ? readText(block, 345, 155) : '';
  const short = readText(block, 0, 100);
  const sparseName = pax.get('GNU.sparse.name');
  const raw = sparseName ?? pax.get('path') ?? (prefix === '' ? short : `${prefix}/${short}`);
  const type = known === 'file' && raw.endsWith('/') ? 'directory' : known;
  const number = (key: string, offset: number, length: number): number => {
    const text = pax.get(key);
    if (text === undefined) return readNumber(block, offset, length, at);
    if (!/^-?\d+(?:\.\d*)?$/.test(text)) throw layerInvalid(at, `the PAX record ${key} is not a number`);
    return Math.floor(Number(text));
  };
  const stored = type === 'file' ? number('size', 124, 12) : 0;
  if (stored < 0) throw layerInvalid(at, 'a size is negative');
  const content = readContent(source, flag, at, stored, pax);
  const end = content.dataAt + padded(stored);
  if (end > padded(source.size)) throw layerInvalid(at, 'its end is missing');
  const rawTarget = type === 'link' || type === 'symlink' ? (pax.get('linkpath') ?? readText(block, 157, 100)) : '';
  const device = type === 'character' || type === 'block';
  const entry: TarEntry = {
    path: canonicalPath(raw, at),
    type,
    target: type === 'link' ? canonicalPath(rawTarget, at) : rawTarget,
    mode: readNumber(block, 100, 8, at) & 0o7777,
    uid: number('uid', 108, 8),
    gid: number('gid', 116, 8),
    mtime: number('mtime', 136, 12),
    major: device ? readNumber(block, 329, 8, at) : 0,
    minor: device ? readNumber(block, 337, 8, at) : 0,
    size: content.size,
    xattrs: new Map([...pax].filter(([key]) => key.startsWith(XATTR)).map(([key, value]) => [key.slice(XATTR.length), value])),
    segments: content.segments,
  };
  return { entry, end };
}

function readContent(source: TarSource, flag: string, at: number, stored: number, pax: ReadonlyMap<string, string>): SparseMap & { readonly dataAt: number } {
  const dataAt = at + BLOCK;
  if (flag === 'S') return readGnuSparse(source, at);
  if (pax.get('GNU.sparse.major') === '1') {
    return { ...readPaxSparse(source, dataAt, stored, Number(pax.get('GNU.sparse.realsize'))), dataAt };
  }
  for (const key of pax.keys()) {
    if (key.startsWith('GNU.sparse.')) throw layerInvalid(at, `the PAX record ${key} belongs to an old sparse format`);
  }
  return { size: stored, segments: stored > 0 ? [{ at: 0, from: dataAt, length: stored }] : [], dataAt };
}

import { checksumOf } from './header-fields.ts';
import { formatPax, type PaxRecord } from './pax.ts';
import { BLOCK, padded, type MemberType, type TarMember } from './tar-member.ts';

const FLAGS: Readonly<Record<MemberType, string>> = {
  file: '0',
  link: '1',
  symlink: '2',
  directory: '5',
  fifo: '6',
};
const ASCII = /^[\x20-\x7e]*$/;
const MAX_OCTAL_7 = 0o7777777;
const MAX_OCTAL_11 = 0o77777777777;

/**
 * The canonical header of a member: ustar without owners' names, preceded by a PAX header only if a
 * name, a number or an extended attribute does not fit into ustar. `mtime` must be a non-negative
 * integer.
 */
export function formatHeader(entry: Omit<TarMember, 'segments'>): Buffer {
  const path = entry.type === 'directory' ? `${entry.path === '' ? '.' : entry.path}/` : entry.path;
  const place = splitPath(path);
  const records: PaxRecord[] = [];
  if (place === undefined) records.push(['path', path]);
  if (entry.target.length > 100 || !ASCII.test(entry.target))
    records.push(['linkpath', entry.target]);
  if (entry.size > MAX_OCTAL_11) records.push(['size', String(entry.size)]);
  if (entry.uid > MAX_OCTAL_7) records.push(['uid', String(entry.uid)]);
  if (entry.gid > MAX_OCTAL_7) records.push(['gid', String(entry.gid)]);
  for (const [name, value] of [...entry.xattrs].sort(([a], [b]) => (a < b ? -1 : 1)))
    records.push([`SCHILY.xattr.${name}`, value]);
  const block = formatBlock(
    entry,
    FLAGS[entry.type],
    place ?? { prefix: '', name: fallback(path) },
  );
  return records.length === 0 ? block : Buffer.concat([formatExtended(formatPax(records)), block]);
}

function formatExtended(data: Buffer): Buffer {
  const header = formatBlock(
    { target: '', mode: 0o644, uid: 0, gid: 0, mtime: 0, size: data.length },
    'x',
    {
      prefix: '',
      name: 'PaxHeader',
    },
  );
  return Buffer.concat([header, data, Buffer.alloc(padded(data.length) - data.length)]);
}

type Fields = Pick<TarMember, 'target' | 'mode' | 'uid' | 'gid' | 'mtime' | 'size'>;

function formatBlock(
  fields: Fields,
  flag: string,
  place: { readonly prefix: string; readonly name: string },
): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, offset: number, digits: number): void => {
    const fits = value < 8 ** digits ? value : 0;
    block.write(fits.toString(8).padStart(digits, '0'), offset, 'latin1');
  };
  block.write(place.name, 0, 'latin1');
  octal(fields.mode, 100, 7);
  octal(fields.uid, 108, 7);
  octal(fields.gid, 116, 7);
  octal(fields.size, 124, 11);
  octal(fields.mtime, 136, 11);
  block.write(flag, 156, 'latin1');
  block.write(fallback(fields.target), 157, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  block.write(place.prefix, 345, 'latin1');
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (!ASCII.test(path)) return undefined;
  if (path.length <= 100) return { prefix: '', name: path };
  const slash = path.indexOf('/', path.length - 101);
  if (slash < 1 || slash > 155 || slash === path.length - 1) return undefined;
  return { prefix: path.slice(0, slash), name: path.slice(slash + 1) };
}

function fallback(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '_').slice(0, 100);
}

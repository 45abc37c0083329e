/** What a tar says of an entry. */
export interface TarHeader {
  /** Relative, without a slash at the end. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Permission bits, setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
  /** Seconds. */
  readonly mtime: number;
  /** Where a link points. */
  readonly target?: string;
}

const BLOCK = 512;
const TYPES = { file: '0', hardlink: '1', symlink: '2', directory: '5' } as const;
const MAX_OCTAL_7 = 0o7777777;
const MAX_OCTAL_11 = 0o77777777777;

/**
 * The header blocks of an entry: ustar (POSIX.1-1988), with a PAX record (POSIX.1-2001) before it where a path or target is
 * longer than its field or not ASCII. No names of owners, and nothing that depends on the process. Raises a `RangeError` for a
 * number that the fields cannot hold (a file over 8 GiB).
 */
export function tarHeader(header: TarHeader): Uint8Array {
  const path = header.type === 'directory' ? `${header.path}/` : header.path;
  const records = [...paxRecord('path', path), ...paxRecord('linkpath', header.target ?? '')];
  const main = ustar(header, TYPES[header.type], path, header.target ?? '');
  if (records.length === 0) return main;
  const body = Buffer.concat(records);
  const extended = ustar({ ...header, size: body.length, mode: 0o644 }, 'x', 'PaxHeader', '');
  return Buffer.concat([extended, body, tarPadding(body.length), main]);
}

/** Zeros that fill the last block of `size` bytes. */
export function tarPadding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}

/** The end of an archive. */
export const TAR_END = new Uint8Array(2 * BLOCK);

function paxRecord(key: string, value: string): Buffer[] {
  if (Buffer.byteLength(value) <= 100 && /^[\x20-\x7e]*$/.test(value)) return [];
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return [Buffer.from(`${length}${rest}`)];
}

function ustar(header: TarHeader, type: string, path: string, target: string): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(ascii(path), 0, 100, 'latin1');
  writeOctal(block, 100, 7, header.mode, MAX_OCTAL_7);
  writeOctal(block, 108, 7, header.uid, MAX_OCTAL_7);
  writeOctal(block, 116, 7, header.gid, MAX_OCTAL_7);
  writeOctal(block, 124, 11, header.size, MAX_OCTAL_11);
  writeOctal(block, 136, 11, header.mtime, MAX_OCTAL_11);
  block.fill(' ', 148, 156);
  block.write(type, 156, 'latin1');
  block.write(ascii(target), 157, 100, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  writeOctal(block, 329, 7, 0, 0);
  writeOctal(block, 337, 7, 0, 0);
  let sum = 0;
  for (const byte of block) sum += byte;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** What an old reader sees of a name that stands in the PAX record. */
function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, 100);
}

function writeOctal(block: Buffer, at: number, digits: number, value: number, max: number): void {
  if (!Number.isInteger(value) || value < 0 || value > max) throw new RangeError(`${value} does not fit a tar header`);
  block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
}

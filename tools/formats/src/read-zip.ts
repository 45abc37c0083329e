import { crc32, inflateRawSync } from 'node:zlib';
import { CcpError, messageOf, omitUndefined } from '#core';

const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const END_64 = 0x06064b50;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_BYTES = 20;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;
/** Marks a size or offset that is stored in the ZIP64 fields. */
const IN_ZIP64 = 0xffffffff;
/** Marks a number of files that is stored in the ZIP64 fields. */
const MANY = 0xffff;

/**
 * Maximum unpacked size in bytes of all selected files; the largest program read from a wheel has
 * 60 MB.
 */
const MAX_UNPACKED = 512 * 1024 * 1024;

/**
 * Reads the files whose paths `wanted` accepts (APPNOTE.TXT 6.3, without encryption and files of
 * 4 GiB). Throws `zip-invalid` if the ZIP is damaged, contains a selected path twice, or the
 * selected files unpack to more than `limit` bytes.
 */
export function readZip(
  bytes: Uint8Array,
  wanted: (path: string) => boolean,
  limit = MAX_UNPACKED,
): ReadonlyMap<string, Uint8Array> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return filesOf(zip, wanted, limit);
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    // A field points outside the file.
    if (thrown instanceof RangeError) throw invalid('it is truncated or damaged');
    throw invalid(messageOf(thrown), thrown);
  }
}

/**
 * Reads the first file whose path `wanted` accepts. Throws `zip-invalid` if no file matches or the
 * ZIP is damaged.
 */
export function readZipEntry(bytes: Uint8Array, wanted: (path: string) => boolean): Uint8Array {
  let taken = false;
  const first = (path: string): boolean => !taken && (taken = wanted(path));
  const [content] = readZip(bytes, first).values();
  if (content === undefined) throw invalid('it does not contain the requested file');
  return content;
}

function filesOf(
  zip: Buffer,
  wanted: (path: string) => boolean,
  limit: number,
): ReadonlyMap<string, Uint8Array> {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0 || end + END_BYTES > zip.length) throw invalid('it has no directory');
  const found = new Map<string, Uint8Array>();
  let unpacked = 0;
  let { at, left } = directoryOf(zip, end);
  for (; left > 0; left--) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw invalid('its directory is damaged');
    const nameLength = zip.readUInt16LE(at + 28);
    const path = zip.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength);
    if (wanted(path)) {
      if (found.has(path)) throw invalid(`it has ${JSON.stringify(path)} twice`);
      unpacked += zip.readUInt32LE(at + 24);
      if (unpacked > limit) throw invalid(`its files unpack to more than ${limit} bytes`);
      found.set(path, entryAt(zip, at, path));
    }
    at += CENTRAL_BYTES + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return found;
}

/** The start of the directory and its number of files; ZIPs of more than 65,534 files use ZIP64. */
function directoryOf(zip: Buffer, end: number): { readonly at: number; readonly left: number } {
  const [at, left] = [zip.readUInt32LE(end + 16), zip.readUInt16LE(end + 10)];
  const locator = end - LOCATOR_BYTES;
  const isLarge = at === IN_ZIP64 || left === MANY;
  if (!isLarge || locator < 0 || zip.readUInt32LE(locator) !== LOCATOR_64) return { at, left };
  const record = Number(zip.readBigUInt64LE(locator + 8));
  if (zip.readUInt32LE(record) !== END_64) throw invalid('its directory is damaged');
  return {
    at: Number(zip.readBigUInt64LE(record + 48)),
    left: Number(zip.readBigUInt64LE(record + 32)),
  };
}

/** Reads the file of the directory record at `at`. */
function entryAt(zip: Buffer, at: number, path: string): Uint8Array {
  const shown = JSON.stringify(path);
  const [packed, size, local] = [20, 24, 42].map((offset) => zip.readUInt32LE(at + offset)) as [
    number,
    number,
    number,
  ];
  const method = zip.readUInt16LE(at + 10);
  if ([packed, size, local].includes(IN_ZIP64)) throw invalid(`${shown} is stored as ZIP64`);
  if ((zip.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw invalid(`${shown} is encrypted`);
  if (method !== STORED && method !== DEFLATED)
    throw invalid(`${shown} has an unsupported compression`);
  if (zip.readUInt32LE(local) !== LOCAL) throw invalid(`${shown} is damaged`);
  const start = local + LOCAL_BYTES + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  if (start + packed > zip.length) throw invalid(`${shown} is truncated`);
  const data = zip.subarray(start, start + packed);
  const content = method === STORED ? data : inflate(data, size, shown);
  if (content.length !== size || crc32(content) !== zip.readUInt32LE(at + 16))
    throw invalid(`${shown} is damaged`);
  return content;
}

/** Unpacks at most `size` bytes, the size in the directory. */
function inflate(data: Uint8Array, size: number, shown: string): Uint8Array {
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw invalid(`${shown} is damaged`, cause);
  }
}

function invalid(reason: string, cause?: unknown): CcpError {
  return new CcpError({
    code: 'zip-invalid',
    message: `the ZIP cannot be read: ${reason}`,
    ...omitUndefined({ cause }),
  });
}

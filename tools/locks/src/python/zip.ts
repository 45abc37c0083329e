import { crc32, inflateRawSync } from 'node:zlib';
import { CcpError } from '#core';

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const STORED = 0;
const DEFLATED = 8;
/** 1 January 1980, the first day a ZIP can name. */
const DATE = 0x21;
const MAX_ENTRY = 512 * 1024 * 1024;

/** A ZIP of uncompressed files (APPNOTE.TXT 6.3): the same files give the same bytes. */
export function writeZip(files: Readonly<Record<string, string>>): Uint8Array {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = Buffer.from(path);
    const data = Buffer.from(content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(STORED, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.alloc(4);
    local.writeUInt32LE(LOCAL);
    const central = Buffer.alloc(6);
    central.writeUInt32LE(CENTRAL);
    central.writeUInt16LE(20, 4);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    const body = Buffer.concat([local, shared, name, data]);
    bodies.push(body);
    directory.push(central, shared, tail, name);
    offset += body.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END);
  end.writeUInt16LE(bodies.length, 8);
  end.writeUInt16LE(bodies.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, index, end]);
}

/** The files whose paths `wanted` takes, by path. Raises `zip-invalid` where the ZIP is damaged. */
export function readZip(bytes: Uint8Array, wanted: (path: string) => boolean): ReadonlyMap<string, Uint8Array> {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw invalid('it has no directory');
  const found = new Map<string, Uint8Array>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== CENTRAL) throw invalid('its directory is damaged');
    const [nameLength, extraLength, commentLength] = [zip.readUInt16LE(at + 28), zip.readUInt16LE(at + 30), zip.readUInt16LE(at + 32)];
    const path = zip.toString('utf8', at + 46, at + 46 + nameLength);
    if (wanted(path)) found.set(path, entryAt(zip, at, path));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return found;
}

/** The content of the first file whose path `wanted` takes. Raises `zip-invalid` where there is none, or it is damaged. */
export function readZipEntry(bytes: Uint8Array, wanted: (path: string) => boolean): Uint8Array {
  const [first] = readZip(bytes, wanted).values();
  if (first === undefined) throw invalid('the file that was looked for is not in it');
  return first;
}

/** Content of the file that the directory's record at `at` describes. */
function entryAt(zip: Buffer, at: number, path: string): Uint8Array {
  const local = zip.readUInt32LE(at + 42);
  const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
  const packed = zip.subarray(start, start + zip.readUInt32LE(at + 20));
  const method = zip.readUInt16LE(at + 10);
  if (method !== STORED && method !== DEFLATED) throw invalid(`${path} is compressed in a way that is not known`);
  const content = method === STORED ? packed : inflateRawSync(packed, { maxOutputLength: MAX_ENTRY });
  if (crc32(content) !== zip.readUInt32LE(at + 16)) throw invalid(`${path} is damaged`);
  return content;
}

function invalid(reason: string): CcpError {
  return new CcpError({ code: 'zip-invalid', message: `the ZIP cannot be read: ${reason}` });
}

import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { CcpError, describeNonFile } from '#core';

/** Size limit of files that ccp reads whole. */
export const MAX_STATE_BYTES = 256 << 20;

interface Kind {
  isFile(): boolean;
  isSymbolicLink(): boolean;
  isDirectory(): boolean;
}

/**
 * Reads a regular file of at most `maxBytes` bytes. Links are followed; messages call the file
 * `name`. A named pipe or a device is refused before it is opened, so that the call never waits.
 * Throws `file-unreadable` for these and for a larger file, and errors of the system unchanged.
 */
export function readBounded(path: string, maxBytes = MAX_STATE_BYTES, name = path): Buffer {
  const descriptor = openRegular(path, name);
  try {
    return readUpTo(descriptor, maxBytes, name);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a file that a person named, like `readBounded`, but also a pipe or a terminal, which it
 * waits for.
 */
export function readGiven(path: string, maxBytes = MAX_STATE_BYTES): Buffer {
  const descriptor = openSync(path, 'r');
  try {
    return readUpTo(descriptor, maxBytes, path);
  } finally {
    closeSync(descriptor);
  }
}

/** Opens a regular file for reading. Throws the errors of `readBounded`. */
export function openRegular(path: string, name = path): number {
  refuseOther(statSync(path), name);
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    refuseOther(fstatSync(descriptor), name);
    return descriptor;
  } catch (thrown) {
    closeSync(descriptor);
    throw thrown;
  }
}

/** Reads an open file from its position to its end. Throws `file-unreadable` if it is larger. */
export function readUpTo(descriptor: number, maxBytes: number, name: string): Buffer {
  const { size: known } = fstatSync(descriptor);
  if (known > maxBytes) throw tooLarge(name, maxBytes);
  const chunks: Buffer[] = [];
  let total = 0;
  // A read of one byte more than the size detects the end of a file on a disk; pipes and files in
  // /proc have no size, and end with an empty read.
  for (let size = known === 0 ? 4096 : known + 1; ; size = 65_536) {
    const chunk = Buffer.allocUnsafe(size);
    const read = readSync(descriptor, chunk, 0, size, null);
    if (read === 0) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, read));
    total += read;
    if (total > maxBytes) throw tooLarge(name, maxBytes);
    if (total === known && read < size)
      return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, total);
  }
}

function refuseOther(stat: Kind, name: string): void {
  // Reading a folder fails with a clear system error.
  if (stat.isDirectory()) return;
  const other = describeNonFile(stat);
  if (other === undefined) return;
  throw new CcpError({
    code: 'file-unreadable',
    message: `cannot read ${name}: it ${other}`,
    hint: 'remove it, or name a regular file',
  });
}

function tooLarge(name: string, maxBytes: number): CcpError {
  const limit = maxBytes >= 1 << 20 ? `${maxBytes >> 20} MiB` : `${maxBytes} bytes`;
  return new CcpError({
    code: 'file-unreadable',
    message: `cannot read ${name}: it is larger than ${limit}`,
    hint: 'remove it, or name another file',
  });
}

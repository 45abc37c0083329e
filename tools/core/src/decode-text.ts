import { CcpError, type Position } from './errors.ts';

/**
 * Decodes the text of a file that messages call `file`. Throws `file-unreadable` with the position
 * of the first byte that is not UTF-8.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CcpError({
      code: 'file-unreadable',
      message: 'the file is not UTF-8',
      hint: 'save it as UTF-8',
      at: { file, ...firstUndecoded(bytes) },
      cause,
    });
  }
}

/**
 * Index of the first character that differs from the bytes after lenient decoding. A U+FFFD in the
 * file itself does not count.
 */
function firstUndecoded(bytes: Uint8Array): Omit<Position, 'file'> {
  const read = Buffer.from(Buffer.from(bytes).toString());
  let at = bytes.findIndex((byte, index) => read[index] !== byte);
  if (at < 0) at = bytes.length - 1;
  while ((read[at]! & 0xc0) === 0x80) at--;
  const lines = read.subarray(0, at).toString().split('\n');
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}

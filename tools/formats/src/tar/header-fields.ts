import { BLOCK, layerInvalid } from './tar-member.ts';

/** The text of a field up to its first NUL, one character per byte. */
export function readText(block: Buffer, offset: number, length: number): string {
  const end = block.indexOf(0, offset);
  return block.toString('latin1', offset, end < 0 || end > offset + length ? offset + length : end);
}

/**
 * A number field: octal, or base 256 if its first bit is set; `at` is the header's offset. Throws
 * `layer-invalid`.
 */
export function readNumber(block: Buffer, offset: number, length: number, at: number): number {
  const first = block[offset] ?? 0;
  if ((first & 0x80) === 0) {
    const text = block
      .toString('latin1', offset, offset + length)
      .replace(/^[ \0]+|[ \0].*$/gs, '');
    if (text === '') return 0;
    if (!/^[0-7]+$/.test(text))
      throw layerInvalid(at, `a number field contains ${JSON.stringify(text)}`);
    return Number.parseInt(text, 8);
  }
  const negative = (first & 0x40) !== 0;
  let value = BigInt(negative ? first | ~0xff : first & 0x7f);
  for (let index = offset + 1; index < offset + length; index += 1)
    value = (value << 8n) | BigInt(block[index] ?? 0);
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw layerInvalid(at, 'a number field is too large');
  return number;
}

/**
 * As `readNumber`, for a number that cannot be negative, such as a size. Throws `layer-invalid`.
 */
export function readCount(block: Buffer, offset: number, length: number, at: number): number {
  const number = readNumber(block, offset, length, at);
  if (number < 0) throw layerInvalid(at, `a number field contains ${number}`);
  return number;
}

/** Sum of the header's bytes, with spaces in place of the checksum field. */
export function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK; index += 1) {
    if (index < 148 || index >= 156) sum += block[index] ?? 0;
  }
  return sum;
}

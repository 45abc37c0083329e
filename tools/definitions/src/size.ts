import { CcpError } from '#core';

const UNITS: Readonly<Record<string, number>> = { kB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes of a size such as `90MB` or `1.5GB` (powers of ten); raises `size-invalid`. */
export function parseSize(text: string): number {
  const [, number, unit] = /^([0-9]+(?:\.[0-9]+)?)(kB|MB|GB)$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) {
    throw new CcpError({
      code: 'size-invalid',
      message: `"${text}" is not a size`,
      hint: 'write a size such as 90MB or 1.5GB',
    });
  }
  return Math.round(Number(number) * UNITS[unit]!);
}

import { jsonFaultOffset } from './json-fault.ts';
import { CcpError, messageOf, omitUndefined, parseJson } from '#core';

/** The error for a data file; `place` is a path of members, like `openssl.CVE-2024-1.status`. */
export function invalidData(
  file: string,
  what: string,
  { place, cause }: { readonly place?: string; readonly cause?: unknown } = {},
): CcpError {
  return new CcpError({
    code: 'cve-data-invalid',
    message: `${file}: ${place === undefined ? '' : `${place} `}${what}`,
    hint: 'download the file again, or name another one',
    ...omitUndefined({ cause }),
  });
}

/** Parses an untrusted JSON text. Throws `cve-data-invalid` with the file and the position. */
export function parseData(text: string, file: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    const before = text.slice(0, jsonFaultOffset(text)).split('\n');
    throw new CcpError({
      code: 'cve-data-invalid',
      message: messageOf(cause),
      hint: 'download the file again, or name another one',
      at: { file, line: before.length, column: before.at(-1)!.length + 1 },
      cause,
    });
  }
}

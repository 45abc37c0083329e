import { layerInvalid } from './tar-member.ts';

/** A PAX record; both strings have one character per byte. */
export type PaxRecord = readonly [key: string, value: string];

/** The records of an extended header at byte `at`, in order. Throws `layer-invalid`. */
export function parsePax(data: Buffer, at: number): PaxRecord[] {
  const records: PaxRecord[] = [];
  let position = 0;
  while (position < data.length) {
    const space = data.indexOf(0x20, position);
    const digits = space < 0 ? '' : data.toString('latin1', position, space);
    const end = position + Number(digits);
    if (!/^[1-9]\d{0,9}$/.test(digits) || end > data.length || data[end - 1] !== 0x0a) {
      throw layerInvalid(at + position, 'a PAX record has no valid length');
    }
    const text = data.toString('latin1', space + 1, end - 1);
    const equals = text.indexOf('=');
    if (equals < 1) throw layerInvalid(at + position, 'a PAX record has no key');
    records.push([text.slice(0, equals), text.slice(equals + 1)]);
    position = end;
  }
  return records;
}

/** The bytes of an extended header with `records`. */
export function formatPax(records: readonly PaxRecord[]): Buffer {
  return Buffer.from(
    records.map(([key, value]) => formatRecord(` ${key}=${value}\n`)).join(''),
    'latin1',
  );
}

function formatRecord(rest: string): string {
  let length = rest.length;
  while (String(length).length + rest.length !== length)
    length = String(length).length + rest.length;
  return `${length}${rest}`;
}

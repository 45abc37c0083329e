/** One field of a protobuf message: a number for varint and fixed types, bytes for everything of a length. */
export interface Field {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/**
 * The fields of a message in the order they are written (protobuf wire format: varint, 64-bit, length-delimited, 32-bit).
 * Raises a `RangeError` where the bytes end inside a field or use the group types, which no message here has.
 */
export function* readFields(bytes: Uint8Array): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a protobuf number does not end');
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new RangeError('a protobuf field is longer than its message');
    return bytes.subarray(at, (at += length));
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const number = key >>> 3;
    switch (key & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: take(8) };
        break;
      case 2:
        yield { number, value: take(Number(varint())) };
        break;
      case 5:
        yield { number, value: take(4) };
        break;
      default:
        throw new RangeError(`protobuf wire type ${key & 7} is not known`);
    }
  }
}

/** The value of a varint field; 0 where it is of another type. */
export function numberOf(field: Field): number {
  return typeof field.value === 'bigint' ? Number(field.value) : 0;
}

/** The bytes of a length-delimited field; none where it is of another type. */
export function bytesOf(field: Field): Uint8Array {
  return typeof field.value === 'bigint' ? new Uint8Array() : field.value;
}

/** The UTF-8 text of a length-delimited field. */
export function textOf(field: Field): string {
  return Buffer.from(bytesOf(field)).toString();
}

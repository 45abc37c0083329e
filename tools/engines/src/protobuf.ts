/** One field of a protobuf message: a number for varints, bytes for all other types. */
export interface ProtobufField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/**
 * The fields of a message in their order (protobuf wire format: varint, 64-bit, length-delimited,
 * 32-bit). Throws `RangeError` if the data end inside a field or contain group types, which
 * BuildKit's messages do not use.
 */
export function* readFields(bytes: Uint8Array): Generator<ProtobufField> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('a protobuf varint is incomplete');
  };
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length)
      throw new RangeError('a protobuf field is longer than its message');
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
        throw new RangeError(`unknown protobuf wire type ${key & 7}`);
    }
  }
}

/** The value of a varint field; 0 for other types. */
export function numberValue(field: ProtobufField): number {
  return typeof field.value === 'bigint' ? Number(field.value) : 0;
}

/** The bytes of a length-delimited field; empty for varints. */
export function bytesValue(field: ProtobufField): Uint8Array {
  return typeof field.value === 'bigint' ? new Uint8Array() : field.value;
}

/** The UTF-8 text of a length-delimited field. */
export function textValue(field: ProtobufField): string {
  return Buffer.from(bytesValue(field)).toString();
}

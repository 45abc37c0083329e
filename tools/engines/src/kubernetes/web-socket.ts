/** A message of a WebSocket: RFC 6455. */
export interface Frame {
  readonly code: number;
  readonly payload: Buffer;
}

export const FRAME = { more: 0, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame of a client. The mask is zero: TLS hides the content from proxies. */
export function clientFrame(code: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const size = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.alloc(2 + size + 4);
  head[0] = 0x80 | code;
  head[1] = 0x80 | (size === 0 ? length : size === 2 ? 126 : 127);
  if (size === 2) head.writeUInt16BE(length, 2);
  if (size === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** The frames of a server's bytes. A message that is split into frames is returned in parts. */
export async function* serverFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let left = Buffer.alloc(0);
  for await (const part of bytes) {
    left = left.length === 0 ? Buffer.from(part) : Buffer.concat([left, part]);
    for (;;) {
      const size = frameSize(left);
      if (size === undefined || left.length < size.head + size.payload) break;
      yield {
        code: left[0]! & 0x0f,
        payload: left.subarray(size.head, size.head + size.payload),
      };
      left = left.subarray(size.head + size.payload);
    }
  }
}

/** `undefined` if the header is not complete. */
function frameSize(bytes: Buffer): { readonly head: number; readonly payload: number } | undefined {
  const short = (bytes[1] ?? 0) & 0x7f;
  const head = short < 126 ? 2 : short === 126 ? 4 : 10;
  if (bytes.length < head) return undefined;
  if (short < 126) return { head, payload: short };
  return {
    head,
    payload: short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)),
  };
}

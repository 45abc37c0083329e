import { describe, expect, it } from 'vitest';
import { clientFrame, FRAME, serverFrames } from './web-socket.ts';

/** A client's frame as a server would send it: without a mask. */
function unmasked(frame: Buffer): Buffer {
  const size = { 126: 4, 127: 10 }[frame[1]! & 0x7f] ?? 2;
  const head = Buffer.from(frame.subarray(0, size));
  head[1]! &= 0x7f;
  return Buffer.concat([head, frame.subarray(size + 4)]);
}

async function* inParts(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('frames', () => {
  it.each([0, 1, 125, 126, 65_535, 65_536, 100_000])('has %i bytes of content', async (length) => {
    const payload = Buffer.alloc(length, 'x');
    const frame = clientFrame(FRAME.binary, payload);
    expect(frame[0]).toBe(0x82);
    expect(frame[1]! & 0x80).toBe(0x80);
    const seen = await Array.fromAsync(serverFrames(inParts(unmasked(frame), 4096)));
    expect(seen.map(({ code, payload: body }) => [code, body.equals(payload)])).toEqual([
      [FRAME.binary, true],
    ]);
  });

  it.each([1, 2, 3, 7, 1000])('finds frames in parts of %i bytes', async (size) => {
    const bytes = Buffer.concat(
      ['one', '', 'x'.repeat(300)].map((text) =>
        unmasked(clientFrame(FRAME.binary, Buffer.from(text))),
      ),
    );
    const seen = await Array.fromAsync(serverFrames(inParts(bytes, size)));
    expect(seen.map(({ payload }) => payload.toString())).toEqual(['one', '', 'x'.repeat(300)]);
  });
});

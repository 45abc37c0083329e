import { describe, expect, it } from 'vitest';
import { collectOutput, splitOutput } from './container-output.ts';

function frame(stream: 1 | 2, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the output of a container', () => {
  const bytes = Buffer.concat([
    frame(1, 'größer\n'),
    frame(2, 'warn'),
    frame(1, ''),
    frame(2, 'ing\n'),
    frame(1, 'end'),
  ]);

  it.each([1, 3, 9, 1000])('is assembled from chunks of %i bytes', async (size) => {
    expect(await collectOutput(splitOutput(inPieces(bytes, size)), 1000, 'x')).toEqual({
      stdout: 'größer\nend',
      stderr: 'warning\n',
    });
  });

  it('is refused beyond the limit of one stream', async () => {
    await expect(
      collectOutput(splitOutput(inPieces(bytes, 5)), 8, '"make" in x'),
    ).rejects.toMatchObject({
      code: 'output-too-long',
      message: '"make" in x printed more than 8 bytes to stdout',
    });
  });
});

import { CcpError } from '#core';

const HEADER = 8;

/** A chunk of container output. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/**
 * Splits the output of a container without a terminal into frames. A frame has one byte for the
 * stream, three bytes of padding, the length as 32 bits big-endian, then the data (Docker Engine
 * API, "attach"). An incomplete frame at the end is dropped.
 */
export async function* splitOutput(source: AsyncIterable<Uint8Array>): AsyncGenerator<OutputChunk> {
  let buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    buffer = buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([buffer, chunk]);
    let at = 0;
    while (buffer.length - at >= HEADER) {
      const end = at + HEADER + buffer.readUInt32BE(at + 4);
      if (buffer.length < end) break;
      yield {
        stream: buffer[at] === 2 ? 'stderr' : 'stdout',
        bytes: buffer.subarray(at + HEADER, end),
      };
      at = end;
    }
    buffer = buffer.subarray(at);
  }
}

/**
 * Both streams as text. Throws `output-too-long` if one exceeds `limit` bytes; `label` is its
 * subject.
 */
export async function collectOutput(
  chunks: AsyncIterable<OutputChunk>,
  limit: number,
  label: string,
): Promise<{ stdout: string; stderr: string }> {
  const kept = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const sizes = { stdout: 0, stderr: 0 };
  for await (const { stream, bytes } of chunks) {
    sizes[stream] += bytes.length;
    if (sizes[stream] > limit) {
      throw new CcpError({
        code: 'output-too-long',
        message: `${label} printed more than ${limit} bytes to ${stream}`,
      });
    }
    kept[stream].push(bytes);
  }
  return {
    stdout: Buffer.concat(kept.stdout).toString(),
    stderr: Buffer.concat(kept.stderr).toString(),
  };
}

import { CcpError } from '#core';

const HEADER = 8;

/** A piece of what a container printed. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}

/**
 * Splits the stream of a container without a terminal: frames of one byte for the stream, three of padding, the length as
 * 32 bits big-endian, then the bytes (Docker Engine API, "attach"). A cut frame at the end is dropped.
 */
export async function* splitOutput(source: AsyncIterable<Uint8Array>): AsyncGenerator<OutputChunk> {
  let buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    buffer = buffer.length === 0 ? Buffer.from(chunk) : Buffer.concat([buffer, chunk]);
    let at = 0;
    while (buffer.length - at >= HEADER) {
      const end = at + HEADER + buffer.readUInt32BE(at + 4);
      if (buffer.length < end) break;
      yield { stream: buffer[at] === 2 ? 'stderr' : 'stdout', bytes: buffer.subarray(at + HEADER, end) };
      at = end;
    }
    buffer = buffer.subarray(at);
  }
}

/** Both streams as text. Raises `output-too-long` where one passes `limit` bytes; `what` names the container for it. */
export async function collectOutput(chunks: AsyncIterable<OutputChunk>, limit: number, what: string): Promise<{ stdout: string; stderr: string }> {
  const kept = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const sizes = { stdout: 0, stderr: 0 };
  for await (const { stream, bytes } of chunks) {
    sizes[stream] += bytes.length;
    if (sizes[stream] > limit) {
      throw new CcpError({ code: 'output-too-long', message: `${what} printed more than ${limit} bytes to ${stream}` });
    }
    kept[stream].push(bytes);
  }
  return { stdout: Buffer.concat(kept.stdout).toString(), stderr: Buffer.concat(kept.stderr).toString() };
}

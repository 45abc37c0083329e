import type { IncomingMessage } from 'node:http';

/** Thrown if a stream is idle for too long, or a line is too long. */
class StreamFault extends Error {}

/** The lines of a streamed response. Throws StreamFault. Leaving the loop destroys the response. */
export async function* watchLines(
  answer: IncomingMessage,
  { idleMs, lineBytes }: { readonly idleMs: number; readonly lineBytes: number },
): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(
    () => answer.destroy(new StreamFault(`no data received for ${idleMs / 1000} s`)),
    idleMs,
  );
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      timer.refresh();
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield Buffer.concat([...parts, chunk.subarray(from, end)]).toString('utf8');
        parts = [];
        size = 0;
        from = end + 1;
      }
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > lineBytes)
        throw new StreamFault(`a line is longer than ${lineBytes / 1024 / 1024} MiB`);
    }
  } finally {
    clearTimeout(timer);
    answer.destroy();
  }
}

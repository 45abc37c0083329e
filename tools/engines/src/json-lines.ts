import { CcpError } from '#core';

/** The JSON objects of a stream that has one on each line. Raises `engine-invalid` for a line that is none; the half of one where the stream was cut is dropped. */
export async function* readJsonLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') yield parseLine(line);
  }
  if (rest.trim() !== '' && !isCut(rest)) yield parseLine(rest);
}

function isCut(line: string): boolean {
  try {
    JSON.parse(line);
    return false;
  } catch {
    return line.startsWith('{');
  }
}

function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  } catch {
    // Told below, as any other value that is no object.
  }
  throw new CcpError({ code: 'engine-invalid', message: `the engine does not answer as a Docker Engine does: ${JSON.stringify(line.slice(0, 120))}` });
}

/** The message of a stream's `errorDetail` (or `error`), where this value has one. */
export function failureIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const detail = value['errorDetail'];
  if (typeof detail === 'object' && detail !== null && 'message' in detail && typeof detail.message === 'string') return detail.message;
  return typeof value['error'] === 'string' ? value['error'] : undefined;
}

/** The JSON objects of a stream that has one on each line. */
export async function* readJsonLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
  }
  if (rest.trim() !== '') yield JSON.parse(rest);
}

/** The message of a stream's `errorDetail` (or `error`), where this value has one. */
export function failureIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const detail = value['errorDetail'];
  if (typeof detail === 'object' && detail !== null && 'message' in detail && typeof detail.message === 'string') return detail.message;
  return typeof value['error'] === 'string' ? value['error'] : undefined;
}

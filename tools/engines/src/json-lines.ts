import { CcpError } from '#core';

/**
 * The JSON objects of a stream with one object per line. Throws `engine-invalid` for any other
 * line. An incomplete object at the end of an interrupted stream is dropped.
 */
export async function* readJsonLines(
  stream: AsyncIterable<Uint8Array>,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== '') yield parseLine(line);
  }
  if (rest.trim() !== '' && !isIncomplete(rest)) yield parseLine(rest);
}

function isIncomplete(line: string): boolean {
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
    if (typeof value === 'object' && value !== null)
      return value as Readonly<Record<string, unknown>>;
  } catch {
    // Reported below, like any value that is not an object.
  }
  throw new CcpError({
    code: 'engine-invalid',
    message: `the engine sent a line that is not a JSON object: ${JSON.stringify(line.slice(0, 120))}`,
    hint: 'check that a Docker engine listens at this address (DOCKER_HOST, "engines" in .ccp.yaml), and not a proxy or another server',
  });
}

/** The message of `errorDetail` or `error`; undefined if the value has neither. */
export function failureIn(value: Readonly<Record<string, unknown>>): string | undefined {
  const detail = value['errorDetail'];
  if (
    typeof detail === 'object' &&
    detail !== null &&
    'message' in detail &&
    typeof detail.message === 'string'
  )
    return detail.message;
  return typeof value['error'] === 'string' ? value['error'] : undefined;
}

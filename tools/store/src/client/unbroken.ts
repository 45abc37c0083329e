import { messageOf } from '#core';
import { damagedResponse } from './registry-error.ts';
import { nextChunk } from './slow-responses.ts';

/**
 * The chunks of a response's body. Throws `registry-damaged` if the connection breaks or is too
 * slow.
 */
export async function* unbroken(
  body: AsyncIterable<Uint8Array>,
  host: string,
  action: string,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  const next = nextChunk(body, chunks);
  try {
    for (;;) {
      const { done, value } = await next().catch((thrown: unknown) => {
        const inner = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
        throw damagedResponse(host, action, `the connection broke: ${messageOf(inner)}`);
      });
      if (done === true) return;
      yield value;
    }
  } finally {
    await chunks.return?.();
  }
}

/** Bytes of a body that must arrive within the limit of a slow response. */
const WINDOW_BYTES = 64 << 10;

/** The reason why a response was aborted. */
export class SlowError extends Error {}

/** Ends the wait for one response. */
interface SlowResponse {
  readonly controller: AbortController;
  readonly limitMs: number;
}

const responses = new WeakMap<object, SlowResponse>();

/**
 * Calls `send`; if its response has no headers within `limitMs`, it is aborted. `nextChunk` uses
 * the same limit for the body.
 */
export async function boundedResponse(
  limitMs: number,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new SlowError(`it sent no response within ${limitMs / 1000} s`)),
    limitMs,
  );
  try {
    const response = await send(controller.signal);
    if (response.body !== null) responses.set(response.body, { controller, limitMs });
    return response;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A function that reads the next chunk of a response's body. It aborts a response that needs more
 * than the limit for 64 KiB, without the time between the calls.
 */
export function nextChunk(
  body: AsyncIterable<Uint8Array>,
  chunks: AsyncIterator<Uint8Array>,
): () => Promise<IteratorResult<Uint8Array>> {
  const slow = responses.get(body);
  if (slow === undefined) return () => chunks.next();
  const { controller, limitMs } = slow;
  let [received, waitedMs] = [0, 0];
  return async () => {
    const started = performance.now();
    const timer = setTimeout(
      () =>
        controller.abort(
          new SlowError(`fewer than ${WINDOW_BYTES} bytes arrived in ${limitMs / 1000} s`),
        ),
      Math.max(0, limitMs - waitedMs),
    );
    try {
      const result = await chunks.next();
      received += result.done === true ? 0 : result.value.length;
      waitedMs += performance.now() - started;
      if (received >= WINDOW_BYTES) [received, waitedMs] = [0, 0];
      return result;
    } finally {
      clearTimeout(timer);
    }
  };
}

import { invalidResponse } from './registry-error.ts';
import { unbroken } from './unbroken.ts';

/**
 * Reads a response's body. Throws `registry-invalid` if it is longer than `limit` bytes, and
 * `registry-damaged` if the connection breaks.
 */
export async function readLimited(
  response: Response,
  limit: number,
  host: string,
  action: string,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (response.body === null) return Buffer.alloc(0);
  for await (const chunk of unbroken(response.body, host, action)) {
    size += chunk.length;
    if (size > limit)
      throw invalidResponse(host, action, `the response is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * The body of a response. Throws the errors of `refuse`: as soon as the body is longer than `limit`
 * bytes, and if a request by HTTPS was redirected to plain HTTP, where anyone could change it.
 */
export async function readResponse(
  response: Response,
  asked: string,
  limit: number,
  refuse: (why: string) => Error,
): Promise<Uint8Array> {
  if (asked.startsWith('https:') && response.url.startsWith('http:')) {
    await response.body?.cancel();
    throw refuse('was redirected from HTTPS to plain HTTP');
  }
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body ?? []) {
    total += chunk.byteLength;
    if (total > limit) throw refuse(`is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

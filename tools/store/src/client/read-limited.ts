import { invalidAnswer } from './registry-error.ts';

/** The body of an answer, refused with `registry-invalid` where it is longer than `limit` bytes. */
export async function readLimited(response: Response, limit: number, host: string, what: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) throw invalidAnswer(host, what, `its answer is longer than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

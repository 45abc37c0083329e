import type { Digest } from '#core';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import type { RegistryHttp } from './registry-http.ts';

/** A blob to upload; `data` is called again for each attempt. */
export interface BlobSource {
  readonly repository: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly data: () => AsyncIterable<Uint8Array>;
}

/** Uploads a blob in chunks of `chunkSize` bytes. Throws `registry-failed`, `registry-invalid`. */
export async function uploadBlob(
  http: RegistryHttp,
  host: string,
  blob: BlobSource,
  chunkSize: number,
): Promise<void> {
  const action = `store blob ${blob.digest} in ${blob.repository}`;
  const scope = `repository:${blob.repository}:pull,push`;
  const expect = async (response: Response, status: number): Promise<string> => {
    const text = (await readLimited(response, 1 << 20, host, action)).toString();
    if (response.status !== status) throw requestRefused(host, action, response.status, text);
    const location = response.headers.get('location');
    if (location === null)
      throw invalidResponse(host, action, 'the response has no Location header');
    const next = URL.parse(location, response.url);
    if (next === null) throw invalidResponse(host, action, 'the Location header is not a URL');
    return next.href;
  };
  let location = await expect(
    await http({
      method: 'POST',
      path: `/v2/${blob.repository}/blobs/uploads/`,
      scope,
      action,
      headers: { 'Content-Length': '0' },
    }),
    202,
  );
  let sent = 0;
  for await (const chunk of chunksOf(blob.data(), chunkSize)) {
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Range': `${sent}-${sent + chunk.length - 1}`,
    };
    location = await expect(
      await http({
        method: 'PATCH',
        path: location,
        scope,
        action,
        headers,
        body: chunk,
        retry: false,
      }),
      202,
    );
    sent += chunk.length;
  }
  if (sent !== blob.size)
    throw invalidResponse(host, action, `the blob has ${sent} bytes instead of ${blob.size}`);
  const end = new URL(location);
  end.searchParams.set('digest', blob.digest);
  await expect(
    await http({
      method: 'PUT',
      path: end.href,
      scope,
      action,
      headers: { 'Content-Length': '0' },
      retry: false,
    }),
    201,
  );
}

async function* chunksOf(
  data: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for await (const piece of data) {
    for (let from = 0; from < piece.length;) {
      const part = piece.subarray(from, from + size - length);
      pending.push(part);
      length += part.length;
      from += part.length;
      if (length < size) continue;
      yield Buffer.concat(pending);
      pending = [];
      length = 0;
    }
  }
  if (length > 0) yield Buffer.concat(pending);
}

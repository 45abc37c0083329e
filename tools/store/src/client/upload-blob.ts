import { backOffMs, codeOf, type Digest } from '#core';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import type { RegistryHttp, RegistryRequest } from './registry-http.ts';

/** A blob to upload; `data` is called again for each attempt. */
export interface BlobSource {
  readonly repository: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  readonly data: () => AsyncIterable<Uint8Array>;
}

/**
 * Attempts without any progress before an upload fails. Requests without a part of the blob are
 * repeated by `http`, so their failure is final: otherwise a registry that only fails would be
 * asked for 8 minutes.
 */
const ATTEMPTS = 6;
/** Statuses that repeat with the same request. */
const FINAL: ReadonlySet<number> = new Set([400, 405, 411, 413, 415, 501]);
const PAUSE = { firstMs: 500, limitMs: 30_000 };

/**
 * Uploads a blob in chunks of `chunkSize` bytes. After a broken connection or a fault of the
 * registry it continues where the registry's part of the blob ends. Throws `registry-failed`,
 * `registry-invalid`, `registry-unreachable`, `registry-full`.
 */
export async function uploadBlob(
  http: RegistryHttp,
  host: string,
  blob: BlobSource,
  chunkSize: number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const session = uploadSession(http, host, blob);
  let location: string | undefined;
  let received = 0;
  for (let failed = 0; ;) {
    const from = received;
    location ??= await session.start();
    try {
      const onChunk = (at: string, sent: number): void => {
        [location, received] = [at, sent];
      };
      await session.send(location, received, chunkSize, onChunk);
      return;
    } catch (thrown) {
      const isTransient = ['registry-failed', 'registry-unreachable'].includes(
        codeOf(thrown) ?? '',
      );
      if (!isTransient || session.isFinal(thrown)) throw thrown;
      failed = received > from ? 1 : failed + 1;
      if (failed >= ATTEMPTS) throw thrown;
      await sleep(backOffMs(PAUSE, failed));
      const state = await session.state(location);
      [location, received] = [state?.location, state?.received ?? 0];
    }
  }
}

interface UploadSession {
  /** True for an error that another attempt cannot avoid. */
  isFinal(thrown: unknown): boolean;
  start(): Promise<string>;
  /** Sends the bytes after the first `received`, and ends the upload. */
  send(
    location: string,
    received: number,
    chunkSize: number,
    onChunk: (location: string, sent: number) => void,
  ): Promise<void>;
  /** The number of bytes that the registry has; undefined if the session has ended. */
  state(
    location: string,
  ): Promise<{ readonly location: string; readonly received: number } | undefined>;
}

function uploadSession(http: RegistryHttp, host: string, blob: BlobSource): UploadSession {
  const final = new WeakSet<Error>();
  const action = `store blob ${blob.digest} in ${blob.repository}`;
  const scope = `repository:${blob.repository}:pull,push`;
  const locationOf = (response: Response): string => {
    const location = response.headers.get('location');
    if (location === null)
      throw invalidResponse(host, action, 'the response has no Location header');
    const next = URL.parse(location, response.url);
    if (next === null) throw invalidResponse(host, action, 'the Location header is not a URL');
    return next.href;
  };
  const request = async (
    sent: Pick<RegistryRequest, 'method' | 'path' | 'headers' | 'body' | 'retry'>,
    status: number,
  ): Promise<Response> => {
    const response = await http({ ...sent, scope, action });
    const text = (await readLimited(response, 1 << 20, host, action)).toString();
    if (response.status === status) return response;
    const error = requestRefused(host, action, response.status, text);
    if (FINAL.has(response.status)) final.add(error);
    throw error;
  };
  const empty = { 'Content-Length': '0' };
  return {
    isFinal: (thrown) => final.has(thrown as Error),
    async start() {
      const path = `/v2/${blob.repository}/blobs/uploads/`;
      return locationOf(await request({ method: 'POST', path, headers: empty }, 202));
    },
    async send(start, received, chunkSize, onChunk) {
      let location = start;
      let sent = received;
      for await (const body of chunksOf(bytesFrom(blob.data(), received), chunkSize)) {
        const headers = {
          'Content-Type': 'application/octet-stream',
          'Content-Range': `${sent}-${sent + body.length - 1}`,
        };
        const patch = { method: 'PATCH', path: location, headers, body, retry: false } as const;
        location = locationOf(await request(patch, 202));
        sent += body.length;
        onChunk(location, sent);
      }
      if (sent !== blob.size)
        throw invalidResponse(host, action, `the blob has ${sent} bytes instead of ${blob.size}`);
      const end = new URL(location);
      end.searchParams.set('digest', blob.digest);
      await request({ method: 'PUT', path: end.href, headers: empty, retry: false }, 201);
    },
    async state(location) {
      const response = await http({ method: 'GET', path: location, scope, action });
      await readLimited(response, 1 << 20, host, action);
      if (response.status !== 204) return undefined;
      const end = /^(?:bytes=)?0-(\d{1,15})$/.exec(response.headers.get('range') ?? '')?.[1];
      const next = response.headers.get('location');
      // "0-0" means no byte or one byte: the session is not continued.
      if (end === undefined || end === '0' || Number(end) >= blob.size) return undefined;
      return {
        location: next === null ? location : locationOf(response),
        received: Number(end) + 1,
      };
    },
  };
}

/** The bytes of `data` after the first `skipped`. */
async function* bytesFrom(
  data: AsyncIterable<Uint8Array>,
  skipped: number,
): AsyncGenerator<Uint8Array> {
  let left = skipped;
  for await (const piece of data) {
    if (piece.length > left) yield left === 0 ? piece : piece.subarray(left);
    left = Math.max(0, left - piece.length);
  }
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

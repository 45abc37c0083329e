import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { CcpError, codeOf, redact, type Sha256 } from '#core';
import type { Cache } from '../cache/cache.ts';
import { cacheError } from '../cache/cache-errors.ts';
import type { HttpClient } from './http-client.ts';
import { claimPartial, releasePartial } from './partial-file.ts';
import { TransientError, transientStatus } from './retry.ts';

export interface Download {
  readonly name: string;
  readonly url: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/**
 * Makes one attempt to download a file into the cache, resuming an earlier attempt; resolves with
 * the bytes received. Received bytes are kept for the next attempt unless they are wrong. Raises
 * `TransientError`, `file-gone` (404, 410), `mirror-refused` (another status, or a complete
 * response that is too short), `checksum-mismatch`, and the cache's errors.
 */
export async function download(
  cache: Cache,
  client: HttpClient,
  file: Download,
  signal: AbortSignal,
  progress: (received: number, bytes: number) => void,
): Promise<number> {
  const path = await claimPartial(cache, file.sha256).catch((cause: unknown) => {
    throw cacheError(cause, cache.folder);
  });
  let keep = true;
  try {
    const existing = (await stat(path).catch(() => undefined))?.size ?? 0;
    const from = existing < file.size ? existing : 0;
    const result = await receive(file, path, from, { cache, client, signal, progress });
    if (result.sha256 === file.sha256 && result.size === file.size) {
      await cache.adopt(path, file.sha256);
      return result.received;
    }
    if (result.size < file.size && result.whole === undefined)
      throw new TransientError(`only ${result.size} of ${file.size} bytes arrived`);
    keep = false;
    if (result.size < file.size) throw wrongFile(file, result);
    if (result.received < result.size)
      throw new TransientError('the resumed download does not have the locked hash');
    throw mismatch(file, result);
  } finally {
    await (keep ? releasePartial(cache, file.sha256, path) : rm(path, { force: true })).catch(
      (cause: unknown) => {
        throw cacheError(cause, cache.folder);
      },
    );
  }
}

interface Received {
  readonly sha256: string;
  /** Bytes of the whole file. */
  readonly size: number;
  /** Bytes received by this attempt. */
  readonly received: number;
  /**
   * Content type of a response that was received completely, from the file's start to its declared
   * end.
   */
  readonly whole?: string;
}

interface Transfer {
  readonly cache: Cache;
  readonly client: HttpClient;
  readonly signal: AbortSignal;
  readonly progress: (received: number, bytes: number) => void;
}

/** Downloads to `path`, resuming at byte `from` if the mirror supports ranges. */
async function receive(
  file: Download,
  path: string,
  from: number,
  { cache, client, signal, progress }: Transfer,
): Promise<Received> {
  const answer = await client.get(file.url, from > 0 ? { range: `bytes=${from}-` } : {}, signal);
  const resumed =
    from > 0 &&
    answer.status === 206 &&
    String(answer.headers['content-range']).startsWith(`bytes ${from}-`);
  if (answer.status !== 200 && !resumed) {
    answer.discard();
    if (answer.status === 416 || answer.status === 206) {
      await rm(path, { force: true });
      throw new TransientError('the mirror did not resume the download');
    }
    throw (
      transientStatus(answer.status, answer.headers['retry-after']) ?? refused(file, answer.status)
    );
  }
  const hash = createHash('sha256');
  let size = resumed ? await hashStart(path, hash) : 0;
  let received = 0;
  const output = await open(path, resumed ? 'a' : 'w', 0o644).catch((cause: unknown) => {
    throw cacheError(cause, cache.folder);
  });
  try {
    for await (const chunk of answer.body) {
      hash.update(chunk);
      size += chunk.byteLength;
      received += chunk.byteLength;
      if (size > file.size) break;
      await output.writeFile(chunk).catch((cause: unknown) => {
        throw cacheError(cause, cache.folder);
      });
      progress(size, chunk.byteLength);
    }
    await output.sync();
  } catch (thrown) {
    if (codeOf(thrown) === 'ECONNRESET' || codeOf(thrown) === 'ERR_STREAM_PREMATURE_CLOSE')
      throw new TransientError('the connection was lost', undefined, thrown);
    throw thrown;
  } finally {
    await output.close();
  }
  const {
    'content-type': type,
    'content-length': length,
    'transfer-encoding': encoding,
  } = answer.headers;
  const whole = !resumed && (length !== undefined || encoding !== undefined);
  return {
    sha256: hash.digest('hex'),
    size,
    received,
    ...(whole ? { whole: String(type ?? 'no type') } : {}),
  };
}

async function hashStart(path: string, hash: Hash): Promise<number> {
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    size += chunk.byteLength;
  }
  return size;
}

function refused(file: Download, status: number): CcpError {
  const url = redact(file.url);
  if (status === 404 || status === 410) {
    return new CcpError({
      code: 'file-gone',
      message: `${file.name} is no longer at ${url} (${status})`,
    });
  }
  const hint = [401, 403, 407].includes(status)
    ? 'put user and password into the URL of the mirror or proxy, or name another mirror in .ccp.yaml'
    : 'name another mirror in .ccp.yaml';
  return new CcpError({
    code: 'mirror-refused',
    message: `the mirror answered ${status} for ${url}`,
    hint,
  });
}

function wrongFile(file: Download, { size, whole }: Received): CcpError {
  return new CcpError({
    code: 'mirror-refused',
    message: `the mirror sent a different file for ${redact(file.url)} (${whole}, ${size} bytes): ${file.name} has ${file.size} bytes`,
    hint: 'open the URL: a login page of your network may have answered instead of the mirror; or name another mirror in .ccp.yaml',
  });
}

function mismatch(file: Download, { sha256, size }: Received): CcpError {
  const got = size > file.size ? `more than ${file.size} bytes` : `${size} bytes with ${sha256}`;
  return new CcpError({
    code: 'checksum-mismatch',
    message: `${file.name} from ${redact(file.url)} is not the locked file: expected ${file.size} bytes with ${file.sha256}, got ${got}`,
    hint: 'the mirror or a proxy serves a different file: name another mirror in .ccp.yaml; lock again only if you know why the file changed',
  });
}

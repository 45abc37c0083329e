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
 * One attempt to bring a file into the cache, going on where an earlier one stopped; resolves with the bytes received. What came
 * is kept for the next attempt unless it is wrong. Raises `TransientError`, `file-gone` (404, 410), `mirror-refused` (another
 * status, or a whole answer that is too short), `checksum-mismatch`, and what the cache raises.
 */
export async function download(cache: Cache, client: HttpClient, file: Download, signal: AbortSignal, progress: (received: number) => void): Promise<number> {
  const path = await claimPartial(cache, file.sha256).catch((cause: unknown) => {
    throw cacheError(cause, cache.folder);
  });
  let keep = true;
  try {
    const had = (await stat(path).catch(() => undefined))?.size ?? 0;
    const from = had < file.size ? had : 0;
    const result = await receive(file, path, from, { cache, client, signal, progress });
    if (result.sha256 === file.sha256 && result.size === file.size) {
      await cache.adopt(path, file.sha256);
      return result.received;
    }
    if (result.size < file.size && result.whole === undefined) throw new TransientError(`only ${result.size} of ${file.size} bytes came`);
    keep = false;
    if (result.size < file.size) throw otherAnswer(file, result);
    if (result.received < result.size) throw new TransientError('the parts of the file do not fit together');
    throw mismatch(file, result);
  } finally {
    await (keep ? releasePartial(cache, file.sha256, path) : rm(path, { force: true })).catch((cause: unknown) => {
      throw cacheError(cause, cache.folder);
    });
  }
}

interface Received {
  readonly sha256: string;
  /** Bytes of the whole file, and of those that came now. */
  readonly size: number;
  readonly received: number;
  /** The type of an answer that said where it ends, and came to that end from the file's start: more of it never comes. */
  readonly whole?: string;
}

interface Transfer {
  readonly cache: Cache;
  readonly client: HttpClient;
  readonly signal: AbortSignal;
  readonly progress: (received: number) => void;
}

/** Writes what the mirror sends to `path`, from the byte `from` on where it will, else anew. */
async function receive(file: Download, path: string, from: number, { cache, client, signal, progress }: Transfer): Promise<Received> {
  const answer = await client.get(file.url, from > 0 ? { range: `bytes=${from}-` } : {}, signal);
  const resumed = from > 0 && answer.status === 206 && String(answer.headers['content-range']).startsWith(`bytes ${from}-`);
  if (answer.status !== 200 && !resumed) {
    answer.discard();
    if (answer.status === 416 || answer.status === 206) {
      await rm(path, { force: true });
      throw new TransientError('the mirror does not send the rest of the file');
    }
    throw transientStatus(answer.status, answer.headers['retry-after']) ?? refused(file, answer.status);
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
      progress(size);
    }
    await output.sync();
  } catch (thrown) {
    if (codeOf(thrown) === 'ECONNRESET' || codeOf(thrown) === 'ERR_STREAM_PREMATURE_CLOSE') throw new TransientError('the connection broke', undefined, thrown);
    throw thrown;
  } finally {
    await output.close();
  }
  const { 'content-type': type, 'content-length': length, 'transfer-encoding': encoding } = answer.headers;
  const whole = !resumed && (length !== undefined || encoding !== undefined);
  return { sha256: hash.digest('hex'), size, received, ...(whole ? { whole: String(type ?? 'no type') } : {}) };
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
    return new CcpError({ code: 'file-gone', message: `${file.name} is no longer at ${url} (${status})` });
  }
  const hint = [401, 403, 407].includes(status)
    ? "give the mirror's or the proxy's user and password in its URL, or name another mirror in .ccp.yaml"
    : 'name another mirror in .ccp.yaml';
  return new CcpError({ code: 'mirror-refused', message: `the mirror answered ${status} for ${url}`, hint });
}

function otherAnswer(file: Download, { size, whole }: Received): CcpError {
  return new CcpError({
    code: 'mirror-refused',
    message: `the mirror answered ${redact(file.url)} with something else (${whole}, ${size} bytes): ${file.name} has ${file.size} bytes`,
    hint: 'look at that URL: a page of your network, such as one to log in, may answer in place of the mirror; or name another mirror in .ccp.yaml',
  });
}

function mismatch(file: Download, { sha256, size }: Received): CcpError {
  const got = size > file.size ? `more than ${file.size} bytes` : `${size} bytes with ${sha256}`;
  return new CcpError({
    code: 'checksum-mismatch',
    message: `${file.name} from ${redact(file.url)} is not the locked file: expected ${file.size} bytes with ${file.sha256}, got ${got}`,
    hint: 'the mirror or a proxy serves other bytes: name another mirror in .ccp.yaml; lock again only if you know why the file changed',
  });
}

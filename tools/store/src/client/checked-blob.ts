import { createHash } from 'node:crypto';
import { hexOf, type CcpError } from '#core';
import type { Descriptor } from '#ports';
import { damagedResponse, invalidResponse } from './registry-error.ts';
import { unbroken } from './unbroken.ts';

/** Maximum size of an archive, such as a layer, in bytes. */
const MAX_ARCHIVE = 64 * 2 ** 30;
/** Maximum size of any other blob, such as a configuration or a list of packages, in bytes. */
const MAX_OTHER = 64 * 2 ** 20;
const ARCHIVE = /[./]tar(?:[.+]|$)|[./+]zip$/;

/** A blob to read; `action` is a clause for messages. */
export interface BlobToRead {
  readonly blob: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>;
  readonly host: string;
  readonly action: string;
}

/** Refuses a descriptor whose size exceeds the limit of its kind. Throws `registry-invalid`. */
export function refuseLargeBlob({ blob: { mediaType, size }, host, action }: BlobToRead): void {
  const isArchive = ARCHIVE.test(mediaType);
  const limit = isArchive ? MAX_ARCHIVE : MAX_OTHER;
  if (!Number.isSafeInteger(size) || size < 0)
    throw invalidResponse(host, action, `its descriptor has the invalid size ${size}`);
  if (size > limit)
    throw invalidResponse(
      host,
      action,
      `its descriptor has ${size} bytes, more than the limit of ${limit} for ${isArchive ? 'an archive' : `a blob of type ${mediaType}`}`,
    );
}

/**
 * The bytes of a response's body. Throws `registry-invalid` as soon as it is longer than the
 * descriptor's size, and `registry-damaged` if it ends early or has another digest.
 */
export async function* checkedBlob(
  body: AsyncIterable<Uint8Array>,
  { blob: { digest, size }, host, action }: BlobToRead,
): AsyncGenerator<Uint8Array> {
  const damaged = (reason: string): CcpError => damagedResponse(host, action, reason);
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of unbroken(body, host, action)) {
    read += chunk.length;
    if (read > size)
      throw invalidResponse(host, action, `the response is longer than ${size} bytes`);
    hash.update(chunk);
    yield chunk;
  }
  if (read < size) throw damaged(`the response has ${read} bytes instead of ${size}`);
  const actual = hash.digest('hex');
  if (actual !== hexOf(digest)) throw damaged(`the response has the digest sha256:${actual}`);
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { digestOf, isDigest, type Digest } from '#core';
import { RegistryFault } from './registry-fault.ts';

/** `sha512:` and 128 hex digits, as in the OCI image specification. */
export type Sha512Digest = `sha512:${string}`;
/** A digest that clients can use. Stored content always has a SHA-256 too. */
export type ContentDigest = Digest | Sha512Digest;

const SHA512 = /^sha512:[0-9a-f]{128}$/;

/** True if `text` is a digest by SHA-256 or SHA-512. */
export function isContentDigest(text: string): text is ContentDigest {
  return isDigest(text) || SHA512.test(text);
}

/** Checks a digest from a path or a query. Throws `RegistryFault`. */
export function digestParameter(text: string): ContentDigest {
  if (isContentDigest(text)) return text;
  throw new RegistryFault(
    400,
    'DIGEST_INVALID',
    `${JSON.stringify(text.slice(0, 200))} is not a sha256 or sha512 digest`,
  );
}

/** The digest of `bytes` by the algorithm of `digest`; by SHA-256 if it is a tag. */
export function digestLike(digest: string, bytes: Uint8Array): ContentDigest {
  return digest.startsWith('sha512:') ? sha512Of(bytes) : digestOf(bytes);
}

function sha512Of(bytes: Uint8Array): Sha512Digest {
  return `sha512:${createHash('sha512').update(bytes).digest('hex')}`;
}

/** The SHA-512 of a file. */
export async function sha512OfFile(path: string): Promise<Sha512Digest> {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }))
    hash.update(chunk as Buffer);
  return `sha512:${hash.digest('hex')}`;
}

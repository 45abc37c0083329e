import { createHash } from 'node:crypto';
import { CcpError } from './errors.ts';

declare const brand: unique symbol;

/** `sha256:` and 64 hex digits, as in the OCI image specification. */
export type Digest = string & { readonly [brand]: 'Digest' };
/** 64 hex digits: a SHA-256 without its algorithm's name, as Debian and Python lists write it. */
export type Sha256 = string & { readonly [brand]: 'Sha256' };
/** 64 hex digits: the SHA-256 of an image's canonical input record. */
export type Fingerprint = string & { readonly [brand]: 'Fingerprint' };

const HEX64 = /^[0-9a-f]{64}$/;

/** SHA-256 of bytes or of UTF-8 text. */
export function sha256(data: string | Uint8Array): Sha256 {
  return createHash('sha256').update(data).digest('hex') as Sha256;
}

/** The part of a fingerprint used in tags: its first 32 hex digits, 128 bits. */
export function tagPart(fingerprint: Fingerprint): string {
  return fingerprint.slice(0, 32);
}

/** OCI digest of bytes or of UTF-8 text. */
export function digestOf(data: string | Uint8Array): Digest {
  return `sha256:${sha256(data)}` as Digest;
}

/** Throws `digest-invalid` if `text` is not 64 lower-case hex digits. */
export function parseSha256(text: string): Sha256 {
  if (HEX64.test(text)) return text as Sha256;
  throw new CcpError({
    code: 'digest-invalid',
    message: `"${text}" is not a SHA-256 in hexadecimal`,
  });
}

/** True if `text` is an OCI digest by SHA-256. */
export function isDigest(text: string): text is Digest {
  return text.startsWith('sha256:') && HEX64.test(text.slice(7));
}

/** Throws `digest-invalid` if `text` is not an OCI digest by SHA-256. */
export function parseDigest(text: string): Digest {
  if (isDigest(text)) return text;
  throw new CcpError({ code: 'digest-invalid', message: `"${text}" is not a sha256 digest` });
}

/** The hex part of a digest. */
export function hexOf(digest: Digest): Sha256 {
  return digest.slice(7) as Sha256;
}

/** The digest with this hex part. */
export function digestFromHex(hex: Sha256): Digest {
  return `sha256:${hex}` as Digest;
}

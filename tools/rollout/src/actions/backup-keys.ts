import {
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { CcpError, isRecord, parseJson } from '#core';

/** The keys of an app, encrypted by its action `export-keys`. */
export interface SealedKeys {
  readonly format: 1;
  /** Instance. */
  readonly app: string;
  /** Base64 of the ephemeral public key in DER. */
  readonly point: string;
  readonly nonce: string;
  readonly sealed: string;
}

/** Secret of the app spec -> key -> value. */
export type OpenedKeys = Readonly<Record<string, Readonly<Record<string, string>>>>;

const PURPOSE = 'ccp keys of a backup';
const TAG = 16;

/**
 * The keys in a file or in the output of the action: one line of JSON. Other lines, such as
 * warnings, are passed over. Throws `backup-invalid` unless exactly one line has keys in format 1.
 */
export function parseSealedKeys(text: string, where: string): SealedKeys {
  const [found, ...others] = text.split('\n').map(jsonOf).filter(isSealed);
  if (found !== undefined && others.length === 0) return found;
  throw new CcpError({
    code: 'backup-invalid',
    message: `${where} does not contain keys of a backup in format 1`,
    hint: 'export the backup again',
  });
}

/** Decrypts keys. Throws `backup-key` if they were not encrypted to this private key. */
export function openKeys(
  { point, nonce, sealed, app }: SealedKeys,
  privateKey: KeyObject,
): OpenedKeys {
  try {
    const bytes = (field: string): Buffer => Buffer.from(field, 'base64');
    const publicKey = createPublicKey({ key: bytes(point), format: 'der', type: 'spki' });
    const secret = diffieHellman({ privateKey, publicKey });
    const key = Buffer.from(hkdfSync('sha256', secret, bytes(nonce), PURPOSE, 32));
    const body = bytes(sealed);
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(PURPOSE));
    decipher.setAuthTag(body.subarray(-TAG));
    const text = Buffer.concat([decipher.update(body.subarray(0, -TAG)), decipher.final()]);
    const keys = parseJson(text.toString());
    if (!isKeys(keys)) throw new TypeError('they are not texts by Secret and key');
    return keys;
  } catch (thrown) {
    throw new CcpError({
      code: 'backup-key',
      message: `the keys of ${app} cannot be decrypted with this private key`,
      hint: 'use the private key that belongs to the public key of the export',
      cause: thrown,
    });
  }
}

function isKeys(value: unknown): value is OpenedKeys {
  return (
    isRecord(value) &&
    Object.values(value).every(
      (keys) => isRecord(keys) && Object.values(keys).every((key) => typeof key === 'string'),
    )
  );
}

function isSealed(found: unknown): found is SealedKeys {
  const fields = ['app', 'point', 'nonce', 'sealed'];
  return (
    isRecord(found) &&
    found['format'] === 1 &&
    fields.every((field) => typeof found[field] === 'string')
  );
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { CcpError, registerSecret, sha256 } from '#core';

/** Signs bytes with one private key. */
export interface Signer {
  readonly key: PublicKey;
  /** Raw for Ed25519, DER for P-256. Ed25519 signatures of equal bytes are equal. */
  sign(bytes: Uint8Array): Buffer;
}

/** A public key that checks signatures. */
export interface PublicKey {
  /** Base64 of the SHA-256 of the key in DER form, as sigstore's bundles name keys. */
  readonly id: string;
  /** Shown to people: the file or the comment that names the key. */
  readonly name: string;
  isValid(bytes: Uint8Array, signature: Uint8Array): boolean;
}

export type KeyType = 'ed25519' | 'p256';

const CURVE = { namedCurve: 'P-256' };

/** Makes a key pair in PEM form; the private key is PKCS#8, encrypted if there is a passphrase. */
export function newKeyPair(
  type: KeyType,
  passphrase: string | undefined,
): { readonly privateKey: string; readonly publicKey: string } {
  const { privateKey, publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', CURVE);
  const encryption = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return {
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem', ...encryption }).toString(),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}

/**
 * A signer from a PKCS#8 key in PEM form. `name` is the file for messages. Throws `key-invalid`;
 * its text never has key material.
 */
export function signerOf(pem: string, name: string, passphrase: string | undefined): Signer {
  if (passphrase !== undefined) registerSecret(passphrase);
  let key: KeyObject;
  try {
    key = createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) });
  } catch {
    const isLocked = passphrase === undefined && pem.includes('ENCRYPTED');
    throw refused(
      name,
      isLocked ? 'is encrypted' : 'cannot be read with this passphrase, or is not a PKCS#8 key',
      isLocked
        ? 'name its passphrase with --passphrase-file or --passphrase-command'
        : 'make a key with `ccp keygen FILE`',
    );
  }
  const algorithm = algorithmOf(key, name);
  return {
    key: toPublicKey(createPublicKey(key), name),
    sign: (bytes) => sign(algorithm, bytes, key),
  };
}

/** A public key in PEM form; `name` is shown to people. Throws `key-invalid`. */
export function publicKeyOf(pem: string, name: string): PublicKey {
  if (/PRIVATE KEY/.test(pem))
    throw refused(name, 'is a private key', 'name the public key: the file that ends in .pub');
  try {
    return toPublicKey(createPublicKey(pem), name);
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    throw refused(name, 'is not a public key in PEM form', 'make a key with `ccp keygen FILE`');
  }
}

function toPublicKey(key: KeyObject, name: string): PublicKey {
  const algorithm = algorithmOf(key, name);
  const der = key.export({ type: 'spki', format: 'der' });
  return {
    id: Buffer.from(sha256(der), 'hex').toString('base64'),
    name,
    isValid: (bytes, signature) => verify(algorithm, bytes, key, signature),
  };
}

/** The digest algorithm for `crypto.sign`; Ed25519 has its own. */
function algorithmOf(key: KeyObject, name: string): string | null {
  if (key.asymmetricKeyType === 'ed25519') return null;
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
    return 'sha256';
  throw refused(
    name,
    `is a key of type ${key.asymmetricKeyType ?? 'unknown'}`,
    'use an Ed25519 or a P-256 key',
  );
}

function refused(name: string, why: string, hint: string): CcpError {
  return new CcpError({ code: 'key-invalid', message: `${name} ${why}`, hint });
}

import { createPrivateKey, X509Certificate } from 'node:crypto';
import { codeOf } from '#core';

/** Why a text is no certificate (the first of several counts), or no private key, in PEM; `undefined` where it is. */
export function pemFault(kind: 'certificate' | 'private key', text: string): string | undefined {
  try {
    if (kind === 'certificate') new X509Certificate(text);
    else createPrivateKey(text);
    return undefined;
  } catch (thrown) {
    return codeOf(thrown) === 'ERR_MISSING_PASSPHRASE' ? 'has a passphrase, which nobody is asked for here' : `is no ${kind} in PEM`;
  }
}

/** Why a certificate and a key, each sound, are no pair; `undefined` where they are. */
export function pairFault(certificate: string, key: string): string | undefined {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)) ? undefined : 'is not the key of its certificate';
}

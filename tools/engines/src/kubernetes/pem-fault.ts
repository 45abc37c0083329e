import { createPrivateKey, X509Certificate } from 'node:crypto';
import { codeOf } from '#core';

/**
 * Why a text is not a PEM certificate or private key; `undefined` if valid. Only the first entry is
 * checked.
 */
export function pemFault(kind: 'certificate' | 'private key', text: string): string | undefined {
  try {
    if (kind === 'certificate') new X509Certificate(text);
    else createPrivateKey(text);
    return undefined;
  } catch (thrown) {
    return codeOf(thrown) === 'ERR_MISSING_PASSPHRASE'
      ? 'has a passphrase; encrypted keys are not supported'
      : `is not a PEM ${kind}`;
  }
}

/** Why a valid certificate and a valid key do not belong together; `undefined` if they do. */
export function pairFault(certificate: string, key: string): string | undefined {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
    ? undefined
    : 'is not the key of its certificate';
}

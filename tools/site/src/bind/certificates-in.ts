import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Parses the certificates of a PEM text, in order; `undefined` for each certificate that cannot be
 * parsed.
 */
export function certificatesIn(pem = ''): readonly (X509Certificate | undefined)[] {
  return (pem.match(CERTIFICATE) ?? []).map((each) => {
    try {
      return new X509Certificate(each);
    } catch {
      return undefined;
    }
  });
}

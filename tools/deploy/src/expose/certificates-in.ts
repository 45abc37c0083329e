import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text in their order; `undefined` for each that cannot be read. */
export function certificatesIn(pem = ''): readonly (X509Certificate | undefined)[] {
  return (pem.match(CERTIFICATE) ?? []).map((each) => {
    try {
      return new X509Certificate(each);
    } catch {
      return undefined;
    }
  });
}

import { getCACertificates } from 'node:tls';
import { CcpError } from '#core';
import { readBounded } from './read-bounded.ts';

const VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];
const MAX_CA_BYTES = 64 << 20;

/**
 * PEM certificates of trusted authorities: the system's, and those in the files that `env` names.
 * Throws `ca-unreadable`.
 */
export function trustedCertificates(env: NodeJS.ProcessEnv): readonly string[] {
  const named = VARIABLES.flatMap((name) => {
    const file = env[name];
    if (file === undefined || file === '') return [];
    try {
      return [readBounded(file, MAX_CA_BYTES).toString()];
    } catch (cause) {
      throw new CcpError({
        code: 'ca-unreadable',
        message: `cannot read the certificate file ${file} (${name})`,
        hint: `set ${name} to a file of PEM certificates, or unset it`,
        cause,
      });
    }
  });
  return [...getCACertificates('default'), ...named];
}

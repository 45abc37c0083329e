import { CcpError } from '#core';
import type { Site } from '#definitions';

const SECRET_KEY =
  /passw(or)?d|secret|token|credential|(^|[_-])(api|private|encryption|auth)[_-]?key$|^key$/i;
/** A URL with a password, as in database connections and transport URLs. */
const SECRET_URL = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/**
 * Returns a warning `secret-plain` for each value of a site that looks like a secret in plain text,
 * since repositories and ConfigMaps are readable by many. The warning omits the value. Pure
 * references are not reported.
 */
export function findPlainSecrets(site: Site): CcpError[] {
  const findings: CcpError[] = [];
  const visit = (value: unknown, path: readonly (string | number)[]): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value))
        visit(inner, [...path, Array.isArray(value) ? Number(key) : key]);
    } else if (typeof value === 'string' && isPlainSecret(String(path.at(-1)), value)) {
      findings.push(
        new CcpError({
          code: 'secret-plain',
          message: `${path.join('.')} looks like a secret in plain text`,
          hint: 'create a Secret in the cluster and require it: `requires: { NAME: { kind: secret, keys: [...] } }`',
          at: site.position(path),
        }),
      );
    }
  };
  for (const [name, app] of Object.entries(site.apps)) {
    visit(app.settings ?? {}, ['apps', name, 'settings']);
    visit(app.config ?? {}, ['apps', name, 'config']);
  }
  return findings;
}

function isPlainSecret(key: string, value: string): boolean {
  const plain = value.replaceAll(/\$\{[^{}]*\}/g, '');
  return (
    plain !== '' && (SECRET_URL.test(plain) || (SECRET_KEY.test(key) && !plain.startsWith('/')))
  );
}

import { CcpError } from '#core';

/**
 * Returns the URL of a mirror; throws `mirror-invalid` with `from`, its place, if it is not a URL.
 */
export function requireUrl(url: string, from: string): string {
  if (URL.canParse(url)) return url;
  throw new CcpError({
    code: 'mirror-invalid',
    message: `${from} has an invalid URL: ${url}`,
    hint: 'fix the URL there, or set "mirrors" in .ccp.yaml',
  });
}

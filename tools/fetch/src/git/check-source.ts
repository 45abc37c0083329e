import { CcpError, redact } from '#core';

const COMMIT = /^[0-9a-f]{40}$/;
/**
 * The pattern of the image.yaml schema: names that git allows, except names that start like an
 * option.
 */
const REF = /^(?!@$)[A-Za-z0-9_+@#%=,][A-Za-z0-9._/+@#%=,-]*$/;
const SAFE_URL = /^(?:https?|ssh|file):\/\/[A-Za-z0-9._~:/?#@!$&'()*+,;=%[\]-]*$/;

/**
 * Parses a URL that is safe to pass to git: https, http on loopback, ssh with an optional user, or
 * file with an absolute path. Raises `source-invalid` for any other text.
 */
export function checkUrl(text: string): URL {
  const url = SAFE_URL.test(text) ? URL.parse(text) : null;
  const invalid = (why: string): CcpError =>
    new CcpError({
      code: 'source-invalid',
      message: `${JSON.stringify(redact(text))} cannot be fetched by git: ${why}`,
      hint: 'use https://HOST/PATH, ssh://HOST/PATH, file:///PATH, or http://localhost/PATH',
    });
  if (url === null) throw invalid('it is not a URL with a supported protocol');
  if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:'))
    throw invalid('it contains credentials');
  if (url.hostname.startsWith('-') || url.username.startsWith('-') || url.pathname.startsWith('/-'))
    throw invalid('a part of it would be read as an option');
  if (url.protocol === 'file:' && url.hostname !== '')
    throw invalid('a file URL must not have a host');
  if (url.protocol !== 'file:' && url.hostname === '') throw invalid('it has no host');
  if (/^\/*$/.test(url.pathname)) throw invalid('it has no path');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw invalid('plain http is allowed on loopback only');
  return url;
}

/** Checks a branch or tag name; raises `source-invalid` if git could read it as something else. */
export function checkRef(ref: string): string {
  const bad = !REF.test(ref) || /\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref) || ref.length > 200;
  if (!bad) return ref;
  throw new CcpError({
    code: 'source-invalid',
    message: `${JSON.stringify(ref)} is not the name of a branch or tag`,
    hint: 'use letters, digits and . _ / - + @ # % = ,',
  });
}

/** Checks a full commit hash; raises `source-invalid`. */
export function checkCommit(commit: string): string {
  if (COMMIT.test(commit)) return commit;
  throw new CcpError({
    code: 'source-invalid',
    message: `${JSON.stringify(commit)} is not a commit`,
    hint: 'use the full commit hash of 40 hexadecimal digits',
  });
}

/** Replaces the longest matching prefix of `url`. */
export function rewriteUrl(url: string, rewrites: Readonly<Record<string, string>>): string {
  const prefix = Object.keys(rewrites)
    .filter((candidate) => url.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  return prefix === undefined ? url : `${rewrites[prefix]}${url.slice(prefix.length)}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

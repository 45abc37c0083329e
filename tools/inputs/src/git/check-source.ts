import { CcpError, redact } from '#core';

const COMMIT = /^[0-9a-f]{40}$/;
/** As the schema of image.yaml has it: what git allows, but nothing that begins like an option. */
const REF = /^(?!@$)[A-Za-z0-9_+@#%=,][A-Za-z0-9._/+@#%=,-]*$/;
const SAFE_URL = /^(?:https?|ssh|file):\/\/[A-Za-z0-9._~:/?#@!$&'()*+,;=%[\]-]*$/;

/**
 * A git URL that may be handed to git: https, http on loopback, ssh with a user at most, or file with an absolute path. Raises
 * `source-invalid` for any other, before a process starts.
 */
export function checkUrl(text: string): URL {
  const url = SAFE_URL.test(text) ? URL.parse(text) : null;
  const refuse = (why: string): CcpError =>
    new CcpError({
      code: 'source-invalid',
      message: `${JSON.stringify(redact(text))} cannot be fetched by git: ${why}`,
      hint: 'write https://HOST/PATH, ssh://HOST/PATH with a user before HOST where one is needed, file:///PATH, or http:// on this machine',
    });
  if (url === null) throw refuse('it is not a URL of a known protocol');
  if (url.password !== '' || (url.username !== '' && url.protocol !== 'ssh:')) throw refuse('it holds credentials');
  if (url.hostname.startsWith('-') || url.username.startsWith('-') || url.pathname.startsWith('/-')) throw refuse('a part of it would be read as an option');
  if (url.protocol === 'file:' && url.hostname !== '') throw refuse('a file URL names no host');
  if (url.protocol !== 'file:' && url.hostname === '') throw refuse('it names no host');
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) throw refuse('http without TLS is for this machine only');
  return url;
}

/** Raises `source-invalid` where a branch's or tag's name could be anything else to git. */
export function checkRef(ref: string): string {
  const bad = !REF.test(ref) || /\.\.|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(ref) || ref.length > 200;
  if (!bad) return ref;
  throw new CcpError({
    code: 'source-invalid',
    message: `${JSON.stringify(ref)} is not the name of a branch or tag`,
    hint: 'use letters, digits and . _ / - + @ # % = ,',
  });
}

/** Raises `source-invalid` where `commit` is not a full object name. */
export function checkCommit(commit: string): string {
  if (COMMIT.test(commit)) return commit;
  throw new CcpError({ code: 'source-invalid', message: `${JSON.stringify(commit)} is not a commit`, hint: 'a commit is named by all 40 hexadecimal digits' });
}

/** The URL that is asked in place of `url`: the longest of the prefixes that it starts with, replaced. */
export function rewriteUrl(url: string, rewrites: Readonly<Record<string, string>>): string {
  const prefix = Object.keys(rewrites)
    .filter((candidate) => url.startsWith(candidate))
    .sort((a, b) => b.length - a.length)[0];
  return prefix === undefined ? url : `${rewrites[prefix]}${url.slice(prefix.length)}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

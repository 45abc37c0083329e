/**
 * Userinfo ends at the last `@` before the path, because passwords can contain `@`. Quotes end a
 * URL in JSON.
 */
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/"]*@/gi;
/** Up to the end of the line or of the surrounding quotes; the scheme is kept. */
const AUTHORIZATION =
  /\b(authorization\\*["']?[ \t]*:[ \t]*[[\\"']*(?:(?:basic|bearer|digest|negotiate)[ \t]+)?)[^\s"'\\][^\r\n"'\\]*/gi;
/** A single word follows if a sentence is about such tokens. */
const BEARER = /\b(bearer[ \t]+)(?=[^\s\d]*\d)[\w.~+/=-]{8,}/gi;
/**
 * A JSON Web Token: two or three parts in base64url, the first of which is an object. The length of
 * that part is limited: else each of many words that look like its start, joined by hyphens, would
 * be read to the end.
 */
const WEB_TOKEN = /\beyJ[\w-]{8,2048}\.[\w-]{8,}(?:\.[\w-]*)?/g;
/** JSON strings whose key names a secret, with escaped `"` and `\`. */
const SECRET_KEY =
  '[\\w.-]{0,64}(?:token|password|passwd|secret|api[_-]?key|access[_-]?key|key-?data)';
const JSON_MEMBER = new RegExp(String.raw`("${SECRET_KEY}"\s*:\s*")(?:[^"\\]|\\.)+`, 'gi');
/** The same in JSON inside a JSON string. */
const NESTED_MEMBER = new RegExp(
  String.raw`(\\"${SECRET_KEY}\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))+`,
  'gi',
);
/** `key=value` in URL queries, forms and environments. `secret=` alone is one of our own names. */
const ASSIGNMENT =
  /\b([\w-]{0,64}(?:token|password|passwd|client[_-]secret|access[_-]key)=)[^\s&"'\\]+/gi;
/** Up to the end marker, or to the end of a truncated text. */
const PRIVATE_KEY = /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$)/g;
const AFTER_ITS_NAME = [AUTHORIZATION, BEARER, JSON_MEMBER, NESTED_MEMBER, ASSIGNMENT];

/** Shorter secrets occur in digests and words by chance, so they are hidden only as whole words. */
const ANYWHERE_LENGTH = 12;
/** Boundary before a word: no letter or digit, or the end of an escape in JSON or in a URL. */
const BEFORE = String.raw`(?<![\p{L}\p{N}])|(?<=\\[bfnrt]|\\u[\dA-Fa-f]{4}|%[\dA-Fa-f]{2})`;
const AFTER = String.raw`(?![\p{L}\p{N}])`;

const secrets = new Map<string, RegExp>();

/**
 * Registers a value that must never appear in output. Values of less than 4 characters are ignored,
 * because they occur in ordinary words.
 */
export function registerSecret(value: string): void {
  if (value.length < 4 || secrets.has(value)) return;
  secrets.set(value, patternOf(value));
  // Longer secrets first: a longer one can contain a shorter one.
  const longestFirst = [...secrets].sort(([a], [b]) => b.length - a.length);
  secrets.clear();
  for (const [secret, pattern] of longestFirst) secrets.set(secret, pattern);
}

/**
 * Removes from `text` the credentials in URLs, authorization headers, tokens, PEM private keys,
 * values whose key names a secret, and registered secrets.
 */
export function redact(text: string): string {
  let clean = text
    .replace(URL_CREDENTIALS, '$1***@')
    .replace(PRIVATE_KEY, '$1***')
    .replace(WEB_TOKEN, '***');
  for (const pattern of AFTER_ITS_NAME) clean = clean.replace(pattern, '$1***');
  for (const pattern of secrets.values()) clean = clean.replace(pattern, '***');
  return clean;
}

function patternOf(secret: string): RegExp {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  if (secret.length >= ANYWHERE_LENGTH) return new RegExp(literal, 'gu');
  const before = /^[\p{L}\p{N}]/u.test(secret) ? `(?:${BEFORE})` : '';
  const after = /[\p{L}\p{N}]$/u.test(secret) ? AFTER : '';
  return new RegExp(`${before}${literal}${after}`, 'gu');
}

/** Userinfo reaches up to the last `@` before the path, since passwords hold `@` too; quotes end a URL inside JSON. */
const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/"]*@/gi;
/** Up to the end of the line, or of the quotes that it stands in; the scheme is kept. */
const AUTHORIZATION = /\b(authorization\\*["']?[ \t]*:[ \t]*[[\\"']*(?:(?:basic|bearer|digest|negotiate)[ \t]+)?)[^\s"'\\][^\r\n"'\\]*/gi;
/** A word alone follows where a sentence speaks of such tokens. */
const BEARER = /\b(bearer[ \t]+)(?=[^\s\d]*\d)[\w.~+/=-]{8,}/gi;
/** A JSON Web Token: two or three parts in base64url, the first of which is an object. */
const WEB_TOKEN = /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g;
/** Texts of JSON whose key says that they are secret; `"` and `\` inside are escaped. */
const SECRET_KEY = '[\\w.-]{0,64}(?:token|password|passwd|secret|api[_-]?key|access[_-]?key|key-?data)';
const JSON_MEMBER = new RegExp(String.raw`("${SECRET_KEY}"\s*:\s*")(?:[^"\\]|\\.)+`, 'gi');
/** The same in JSON that is a text of JSON. */
const NESTED_MEMBER = new RegExp(String.raw`(\\"${SECRET_KEY}\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\["\\]|[^"\\]))+`, 'gi');
/** As queries of URLs, forms and environments have it. A `secret=` alone names one of ours. */
const ASSIGNMENT = /\b([\w-]{0,64}(?:token|password|passwd|client[_-]secret|access[_-]key)=)[^\s&"'\\]+/gi;
/** Up to its end, or to that of a text that was cut. */
const PRIVATE_KEY = /(-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----)[\s\S]*?(?=-----END|$)/g;
const AFTER_ITS_NAME = [AUTHORIZATION, BEARER, JSON_MEMBER, NESTED_MEMBER, ASSIGNMENT];

/** Shorter secrets stand in digests and words by chance, so they are hidden as whole words alone. */
const ANYWHERE_LENGTH = 12;
/** What a word may start after: no letter or digit, or the end of an escape of JSON or of a URL. */
const BEFORE = String.raw`(?<![\p{L}\p{N}])|(?<=\\[bfnrt]|\\u[\dA-Fa-f]{4}|%[\dA-Fa-f]{2})`;
const AFTER = String.raw`(?![\p{L}\p{N}])`;

const secrets = new Map<string, RegExp>();

/** Registers a value that must never appear in output; values under 4 characters are left alone, they would eat words. */
export function registerSecret(value: string): void {
  if (value.length < 4 || secrets.has(value)) return;
  secrets.set(value, patternOf(value));
  // A longer secret may hold a shorter one, whose removal would leave its rest.
  const longestFirst = [...secrets].sort(([a], [b]) => b.length - a.length);
  secrets.clear();
  for (const [secret, pattern] of longestFirst) secrets.set(secret, pattern);
}

/** `text` without credentials in URLs, authorization headers, tokens, private keys in PEM, values that their key calls secret, and registered secrets. */
export function redact(text: string): string {
  let clean = text.replace(URL_CREDENTIALS, '$1***@').replace(PRIVATE_KEY, '$1***').replace(WEB_TOKEN, '***');
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

const URL_CREDENTIALS = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+(?::[^\s/@]*)?@/gi;
const AUTHORIZATION = /\b(authorization:\s*\S+\s+)\S+/gi;

const secrets = new Set<string>();

/** Registers a value that must never appear in output; values under 4 characters are left alone, they would eat words. */
export function registerSecret(value: string): void {
  if (value.length >= 4) secrets.add(value);
}

/** `text` without credentials in URLs, authorization headers and registered secrets. */
export function redact(text: string): string {
  let clean = text.replace(URL_CREDENTIALS, '$1***@').replace(AUTHORIZATION, '$1***');
  for (const secret of secrets) clean = clean.replaceAll(secret, '***');
  return clean;
}

import { invalidResponse } from './registry-error.ts';

/** True if the host, with or without a port, is a loopback address. */
export function isLoopbackAuthority(host: string): boolean {
  return /^(?:127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost|\[::1\])(?::\d+)?$/.test(host);
}

/**
 * True if the registry at `root` may redirect a request to `url`: HTTPS URLs on any host, and, if
 * the registry itself uses plain HTTP, plain HTTP URLs of its own host and on loopback. URLs with
 * credentials are refused.
 */
export function isSafeFor(root: URL, url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol !== 'http:' || root.protocol !== 'http:') return false;
  return isLoopbackAuthority(url.host) || url.host === root.host;
}

/**
 * The URL in the `Location` header of a response from `base`. Throws `registry-invalid` if it is
 * not a URL or not a safe one.
 */
export function redirectTarget(
  location: string,
  base: URL,
  root: URL,
  host: string,
  action: string,
): URL {
  const url = URL.parse(location, base.href);
  if (url === null) throw invalidResponse(host, action, 'the redirect target is not a URL');
  if (!isSafeFor(root, url) || (base.protocol === 'https:' && url.protocol !== 'https:'))
    throw invalidResponse(
      host,
      action,
      `it redirects to ${url.origin === 'null' ? url.protocol : url.origin}; redirects must use HTTPS, without credentials in the URL`,
    );
  return url;
}

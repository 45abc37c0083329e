import { setDefaultCACertificates } from 'node:tls';
import { fetchAnyPort, isBlockedPort } from './fetch-any-port.ts';
import { proxiesOf } from './proxies.ts';
import { trustedCertificates } from './trusted-certificates.ts';

let ready = false;
let trusting = false;

/**
 * Hosts that are in a subnet of `no_proxy`. The platform's fetch does not support subnets, so these
 * hosts are added to its exceptions one by one.
 */
const direct = new Set<string>();

/**
 * The platform's `fetch` with the proxies and certificate files of this process's environment, on
 * every port. Throws `proxy-invalid` and `ca-unreadable` before a request.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const { hostname, protocol } = new URL(input instanceof Request ? input.url : input);
  if (protocol === 'https:' && !trusting) {
    setDefaultCACertificates([...trustedCertificates(process.env)]);
    trusting = true;
  }
  const proxies = proxiesOf(process.env);
  const isNew =
    Object.keys(proxiesOf(process.env, hostname)).length < Object.keys(proxies).length &&
    !direct.has(hostname);
  if (!ready || isNew) {
    const { setGlobalProxyFromEnv } = await import('node:http');
    if (isNew) direct.add(hostname);
    setGlobalProxyFromEnv({
      ...proxies,
      ...(direct.size === 0 ? {} : { no_proxy: [proxies.no_proxy, ...direct].join(',') }),
    });
    ready = true;
  }
  try {
    return await fetch(input, init);
  } catch (thrown) {
    if (!isBlockedPort(thrown)) throw thrown;
    return fetchAnyPort(input, init);
  }
};

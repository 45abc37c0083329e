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

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

/** Names under which the platform's fetch keeps its dispatcher, the newest first. */
const DISPATCHERS = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

/**
 * The platform's fetch closes the connection after each HEAD request (undici issue 258), so a check
 * of thousands of blobs would open thousands of connections.
 */
function keptConnections(): object {
  const current = (): Dispatcher | undefined => {
    const known = globalThis as unknown as Readonly<Record<symbol, Dispatcher | undefined>>;
    return DISPATCHERS.map((name) => known[name]).find((each) => each !== undefined);
  };
  // It exists after the first request.
  if (current() === undefined) return {};
  return {
    dispatcher: {
      dispatch: (options: object, handler: unknown) =>
        current()!.dispatch({ ...options, reset: false }, handler),
    },
  };
}

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
  const options = init?.method === 'HEAD' ? { ...init, ...keptConnections() } : init;
  try {
    return await fetch(input, options);
  } catch (thrown) {
    if (!isBlockedPort(thrown)) throw thrown;
    return fetchAnyPort(input, init);
  }
};

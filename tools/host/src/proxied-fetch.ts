import { proxiesOf } from './proxies.ts';

let ready = false;

/**
 * Hosts that are in a subnet of `no_proxy`. The platform's fetch does not support subnets, so these
 * hosts are added to its exceptions one by one.
 */
const direct = new Set<string>();

/**
 * The platform's `fetch` through the proxies of this process's environment. Throws `proxy-invalid`
 * before a request.
 */
export const proxiedFetch: typeof fetch = async (input, init) => {
  const { hostname } = new URL(input instanceof Request ? input.url : input);
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
  return fetch(input, init);
};

import { proxiesOf } from '#core';

let ready = false;

/** The platform's `fetch` through the proxies of this process's environment. Raises `proxy-invalid`, before anything is asked. */
export const proxiedFetch: typeof fetch = async (input, init) => {
  if (!ready) {
    const { setGlobalProxyFromEnv } = await import('node:http');
    setGlobalProxyFromEnv({ ...proxiesOf(process.env) });
    ready = true;
  }
  return fetch(input, init);
};

import { CcpError } from './errors.ts';

/** Proxies for HTTP by the names that Node's agents and all tools know; absent where there is none. */
export interface Proxies {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/**
 * The proxies that an environment names, as curl reads it: small letters before capitals, `all_proxy` for what has none of its own, `host:port`
 * as http. Raises `proxy-invalid` for one that is no URL, or of another protocol than http and https: going past it would reach
 * what a user wants nobody to reach directly.
 */
export function proxiesOf(env: NodeJS.ProcessEnv): Proxies {
  const named = (...names: readonly string[]): string | undefined =>
    names.flatMap((name) => [name, name.toUpperCase()]).find((name) => (env[name] ?? '') !== '');
  const proxies = (['http_proxy', 'https_proxy'] as const).flatMap((protocol) => {
    const name = named(protocol, 'all_proxy');
    return name === undefined ? [] : [[protocol, checked(name, env[name] ?? '')]];
  });
  const except = named('no_proxy');
  return { ...Object.fromEntries(proxies), ...(except === undefined ? {} : { no_proxy: env[except] ?? '' }) };
}

function checked(name: string, value: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const { protocol } = URL.parse(url) ?? {};
  const hint = `write it as http://HOST:PORT, or unset ${name}`;
  // The value is not told: where it cannot be read, a password in it cannot be found.
  if (protocol === undefined) throw new CcpError({ code: 'proxy-invalid', message: `${name} is not a URL`, hint });
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new CcpError({
      code: 'proxy-invalid',
      message: `${name} names a proxy of ${protocol.slice(0, -1)}, which cannot be used: only http and https can`,
      hint,
    });
  return url;
}

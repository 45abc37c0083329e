import { BlockList, isIP } from 'node:net';
import { CcpError, codeOf, isRecord, messageOf } from '#core';

/** HTTP proxies by the names that Node's agents and other tools use; absent without a proxy. */
export interface Proxies {
  readonly http_proxy?: string;
  readonly https_proxy?: string;
  readonly no_proxy?: string;
}

/**
 * The proxies of an environment, with the rules of curl: lower case before upper case, `all_proxy`
 * for protocols without their own proxy, `host:port` as http. Returns no proxy for a `host` in a
 * subnet (`10.0.0.0/8`, `fd00::/8`) of `no_proxy`: Node's agents support all other forms of
 * exceptions. Throws `proxy-invalid` for an invalid URL and for protocols other than http and
 * https, because a direct connection could reach a host that must not be reached directly.
 */
export function proxiesOf(env: NodeJS.ProcessEnv, host?: string): Proxies {
  const named = (...names: readonly string[]): string | undefined =>
    names.flatMap((name) => [name, name.toUpperCase()]).find((name) => (env[name] ?? '') !== '');
  const proxies = (['http_proxy', 'https_proxy'] as const).flatMap((protocol) => {
    const name = named(protocol, 'all_proxy');
    return name === undefined ? [] : [[protocol, checked(name, env[name] ?? '')]];
  });
  const except = named('no_proxy');
  if (host !== undefined && except !== undefined && isInSubnet(host, env[except] ?? '')) return {};
  return {
    ...Object.fromEntries(proxies),
    ...(except === undefined ? {} : { no_proxy: env[except] ?? '' }),
  };
}

/** True if a host, in the form of a URL, is an address in a subnet of `no_proxy`. */
function isInSubnet(host: string, except: string): boolean {
  const address = bare(host);
  const family = isIP(address);
  if (family === 0) return false;
  return except.split(/[\s,]+/).some((entry) => {
    const [, net = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(entry) ?? [];
    if (isIP(bare(net)) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
    const type = family === 4 ? 'ipv4' : 'ipv6';
    const subnet = new BlockList();
    subnet.addSubnet(bare(net), Number(bits), type);
    return subnet.check(address, type);
  });
}

function bare(address: string): string {
  return address.replace(/^\[(.*)\]$/, '$1');
}

/**
 * Changes the error of a request if the connection to the proxy, or the tunnel through it, failed:
 * the message names the proxy, the code stays, and `proxy` is true. Other errors are returned
 * unchanged.
 */
export function asProxyFault(thrown: unknown, proxy: string | undefined): unknown {
  const { host = '', hostname = '', port = '', protocol } = URL.parse(proxy ?? '') ?? {};
  const at = Number(port) || (protocol === 'https:' ? 443 : 80);
  const isOf = (error: unknown): boolean => {
    const fault = error as {
      readonly code?: string;
      readonly address?: string;
      readonly port?: number;
      readonly hostname?: string;
      readonly errors?: readonly unknown[];
    };
    const reached =
      fault.port === at && (fault.address === bare(hostname) || isIP(bare(hostname)) === 0);
    return (
      fault.code === 'ERR_PROXY_TUNNEL' ||
      fault.hostname === hostname ||
      reached ||
      fault.errors?.some(isOf) === true
    );
  };
  if (host === '' || !isRecord(thrown) || !isOf(thrown)) return thrown;
  const code = codeOf(thrown);
  const why = code === 'ERR_PROXY_TUNNEL' ? 'refuses the connection' : 'does not answer';
  return Object.assign(
    new Error(`the proxy ${host} ${why}: ${messageOf(thrown) || code}`, { cause: thrown }),
    { code, proxy: true },
  );
}

function checked(name: string, value: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const { protocol } = URL.parse(url) ?? {};
  const hint = `write it as http://HOST:PORT, or unset ${name}`;
  // The value is not shown: a password in an invalid URL cannot be found and hidden.
  if (protocol === undefined)
    throw new CcpError({ code: 'proxy-invalid', message: `${name} is not a URL`, hint });
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new CcpError({
      code: 'proxy-invalid',
      message: `${name} names a proxy with the protocol ${protocol.slice(0, -1)}, but only http and https are supported`,
      hint,
    });
  return url;
}

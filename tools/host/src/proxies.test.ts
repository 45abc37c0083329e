import { expect, it } from 'vitest';
import { asProxyFault, proxiesOf, type Proxies } from './proxies.ts';

it.each<[string, NodeJS.ProcessEnv, Proxies]>([
  [
    'host and port',
    { http_proxy: '127.0.0.1:3128', HTTPS_PROXY: 'localhost:1' },
    { http_proxy: 'http://127.0.0.1:3128', https_proxy: 'http://localhost:1' },
  ],
  [
    'a URL with a login',
    { https_proxy: 'https://me:pass@proxy:1/' },
    { https_proxy: 'https://me:pass@proxy:1/' },
  ],
  [
    'small letters before capitals',
    { http_proxy: 'a', HTTP_PROXY: 'b', no_proxy: 'c', NO_PROXY: 'd' },
    { http_proxy: 'http://a', no_proxy: 'c' },
  ],
  [
    'one for what has none of its own',
    { ALL_PROXY: 'socks5://a', http_proxy: 'b', https_proxy: 'c' },
    { http_proxy: 'http://b', https_proxy: 'http://c' },
  ],
  ['one for all', { all_proxy: 'a:1' }, { http_proxy: 'http://a:1', https_proxy: 'http://a:1' }],
  ['empty ones', { http_proxy: '', HTTPS_PROXY: '', NO_PROXY: '' }, {}],
])('reads %s', (_, env, proxies) => {
  expect(proxiesOf(env)).toEqual(proxies);
});

it.each([
  ['10.251.0.2', '10.251.0.0/16', true],
  ['10.252.0.2', '10.251.0.0/16', false],
  ['10.252.0.2', 'a.example, 192.0.2.0/24 10.252.0.2/32', true],
  ['[fd00::1]', 'fd00::/8', true],
  ['[fd00::1]', '[fd00::]/16', true],
  ['[fe80::1]', 'fd00::/8,0.0.0.0/0', false],
  ['api.example', '0.0.0.0/0', false],
  ['10.251.0.2', '10.251.0.0/33,10.251.0.0/x,/8', false],
])('connects to %s with no_proxy=%s directly: %s', (host, except, direct) => {
  expect(proxiesOf({ https_proxy: 'a', NO_PROXY: except }, host)).toEqual(
    direct ? {} : { https_proxy: 'http://a', no_proxy: except },
  );
});

it.each([
  [
    { code: 'ECONNREFUSED', address: '127.0.0.1', port: 1 },
    'the proxy 127.0.0.1:1 does not answer: m',
  ],
  [{ code: 'ERR_PROXY_TUNNEL' }, 'the proxy 127.0.0.1:1 refuses the connection: m'],
  [{ code: 'ECONNREFUSED', address: '127.0.0.1', port: 2 }, 'm'],
  [{ code: 'ECONNRESET' }, 'm'],
])('attributes the error %j', (fault, message) => {
  expect(
    asProxyFault(Object.assign(new Error('m'), fault), 'http://me:pass@127.0.0.1:1/'),
  ).toMatchObject({ message, code: fault.code });
});

it.each([
  ['http_proxy', 'http://', 'http_proxy is not a URL'],
  ['HTTPS_PROXY', 'http://127.0.0.1:99999', 'HTTPS_PROXY is not a URL'],
  ['http_proxy', 'me:secret@127.0.0.1:99999', 'http_proxy is not a URL'],
  [
    'https_proxy',
    'socks5://127.0.0.1:8898',
    'https_proxy names a proxy with the protocol socks5, but only http and https are supported',
  ],
  [
    'all_proxy',
    'socks5h://a',
    'all_proxy names a proxy with the protocol socks5h, but only http and https are supported',
  ],
])('refuses %s=%s', (name, value, message) => {
  expect(() => proxiesOf({ [name]: value })).toThrow(
    expect.objectContaining({
      code: 'proxy-invalid',
      message,
      hint: `write it as http://HOST:PORT, or unset ${name}`,
    }),
  );
});

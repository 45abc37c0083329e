import { expect, it } from 'vitest';
import { proxiesOf, type Proxies } from './proxies.ts';

it.each<[string, NodeJS.ProcessEnv, Proxies]>([
  ['host and port', { http_proxy: '127.0.0.1:3128', HTTPS_PROXY: 'localhost:1' }, { http_proxy: 'http://127.0.0.1:3128', https_proxy: 'http://localhost:1' }],
  ['a URL with a login', { https_proxy: 'https://me:pass@proxy:1/' }, { https_proxy: 'https://me:pass@proxy:1/' }],
  ['small letters before capitals', { http_proxy: 'a', HTTP_PROXY: 'b', no_proxy: 'c', NO_PROXY: 'd' }, { http_proxy: 'http://a', no_proxy: 'c' }],
  ['one for what has none of its own', { ALL_PROXY: 'socks5://a', http_proxy: 'b', https_proxy: 'c' }, { http_proxy: 'http://b', https_proxy: 'http://c' }],
  ['one for all', { all_proxy: 'a:1' }, { http_proxy: 'http://a:1', https_proxy: 'http://a:1' }],
  ['empty ones', { http_proxy: '', HTTPS_PROXY: '', NO_PROXY: '' }, {}],
])('takes %s', (_, env, proxies) => {
  expect(proxiesOf(env)).toEqual(proxies);
});

it.each([
  ['http_proxy', 'http://', 'http_proxy is not a URL'],
  ['HTTPS_PROXY', 'http://127.0.0.1:99999', 'HTTPS_PROXY is not a URL'],
  ['http_proxy', 'me:secret@127.0.0.1:99999', 'http_proxy is not a URL'],
  ['https_proxy', 'socks5://127.0.0.1:8898', 'https_proxy names a proxy of socks5, which cannot be used: only http and https can'],
  ['all_proxy', 'socks5h://a', 'all_proxy names a proxy of socks5h, which cannot be used: only http and https can'],
])('refuses %s=%s', (name, value, message) => {
  expect(() => proxiesOf({ [name]: value })).toThrow(
    expect.objectContaining({ code: 'proxy-invalid', message, hint: `write it as http://HOST:PORT, or unset ${name}` }),
  );
});

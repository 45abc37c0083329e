import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { proxiedFetch } from './proxied-fetch.ts';

/** Runs in its own process, because it changes the settings of the whole process. */
const ASK = `
  const { proxiedFetch } = await import(${JSON.stringify(fileURLToPath(new URL('./proxied-fetch.ts', import.meta.url)))});
  const ask = async () => (await proxiedFetch('http://registry.test/v2/')).text();
  console.log(await ask().catch(({ message }) => message));
  process.env.http_proxy = process.env.better;
  console.log(await ask());
  process.env.no_proxy = '127.0.0.0/8';
  console.log(await (await proxiedFetch(process.env.direct)).text());`;

it('sends no request if the proxy is invalid, and uses a valid proxy', async () => {
  const proxy = createServer();
  proxy.on('connect', ({ url }, socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.once('data', () =>
      socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\ntunnel to ${url}`),
    );
  });
  proxy.on('request', (_, response) => response.end('direct'));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as { readonly port: number };
  const env = {
    ...process.env,
    no_proxy: '',
    NO_PROXY: '',
    http_proxy: 'http://',
    better: `127.0.0.1:${port}`,
    direct: `http://127.0.0.1:${port}/`,
  };
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', ASK],
      { env },
    );
    expect(stdout).toBe('http_proxy is not a URL\ntunnel to registry.test:80\ndirect\n');
  } finally {
    proxy.close();
  }
});

it('keeps a connection open after HEAD requests', async () => {
  const server = createServer((_, response) => response.end());
  let connections = 0;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  const url = `http://127.0.0.1:${port}/`;
  try {
    await (await proxiedFetch(url)).text();
    for (let request = 0; request < 20; request++) await proxiedFetch(url, { method: 'HEAD' });
    // The platform's fetch opens 20; one more is for a connection that the server closed meanwhile.
    expect(connections).toBeLessThan(4);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { proxiedFetch } from './proxied-fetch.ts';

/** Ports that browsers block and that little else uses; see the Fetch standard, "bad port". */
const BLOCKED = [10080, 6697, 6669, 6668, 6667, 6666, 6665, 6566, 5061, 5060, 4190, 4045];

let server: Server;
let url: string;
beforeEach(async () => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await request.toArray()).join('');
    if (request.url === '/old')
      return void response.writeHead(302, { location: '/new' }).end('moved');
    if (request.url === '/other') {
      const location = `${url.replace('127.0.0.1', 'localhost')}/new`;
      return void response.writeHead(302, { location }).end('moved');
    }
    const { authorization } = request.headers;
    if (request.headers['accept-encoding'] === 'gzip')
      return void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('answer'));
    response.writeHead(request.url === '/none' ? 204 : 200, {
      'set-cookie': ['a=1', 'b=2'],
      'x-asked': `${request.method} ${request.url} ${authorization} ${body}`,
    });
    response.end(request.url === '/none' ? undefined : 'answer');
  };
  server = createServer((request, response) => void answer(request, response));
  for (const port of BLOCKED) {
    const listening = await Promise.race([
      once(server.listen(port, '127.0.0.1'), 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false);
    if (listening) return void (url = `http://127.0.0.1:${port}`);
  }
  throw new Error('all blocked ports are in use');
});
afterEach(() => server.close());

it('uses a port that the platform blocks', async () => {
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  const response = await proxiedFetch(`${url}/a`, {
    method: 'POST',
    headers: { Authorization: 'Basic x' },
    body: 'sent',
  });
  expect(response.headers.get('x-asked')).toBe('POST /a Basic x sent');
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect([response.status, response.url, await response.text()]).toEqual([
    200,
    `${url}/a`,
    'answer',
  ]);
  const head = await proxiedFetch(`${url}/a`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect((await proxiedFetch(`${url}/none`)).status).toBe(204);
});

it('follows redirections there, unless they are left to the caller', async () => {
  const followed = await proxiedFetch(`${url}/old`);
  expect([followed.url, await followed.text()]).toEqual([`${url}/new`, 'answer']);
  const manual = await proxiedFetch(`${url}/old`, { redirect: 'manual' });
  expect([manual.status, manual.headers.get('location')]).toEqual([302, '/new']);
  await manual.text();
});

it('reads text from a server that would compress it', async () => {
  const response = await proxiedFetch(url, { headers: { 'accept-encoding': 'gzip' } });
  expect(await response.text()).toBe('answer');
});

it('keeps credentials from other origins and follows no redirection against the caller', async () => {
  const headers = { Authorization: 'Basic x' };
  const same = await proxiedFetch(`${url}/old`, { headers });
  expect(same.headers.get('x-asked')).toBe('GET /new Basic x');
  const other = await proxiedFetch(`${url}/other`, { headers });
  expect(other.headers.get('x-asked')).toBe('GET /new undefined');
  await expect(proxiedFetch(`${url}/old`, { headers, redirect: 'error' })).rejects.toThrow(
    expect.objectContaining({ cause: new Error('unexpected redirect') }),
  );
});

it('ends with the reason of the signal or of the connection there', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(proxiedFetch(url, { signal })).rejects.toThrow('enough');
  server.close();
  await once(server, 'close');
  await expect(proxiedFetch(url)).rejects.toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ code: 'ECONNREFUSED' }) }),
  );
});

import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_BODY, lockedDeb, fetchFixture, lockedWheel } from '../testing/fetch-fixture.ts';

const { cache, serve, run } = fetchFixture();
const servers: { server: Server; sockets: Set<Socket> }[] = [];
afterEach(() => {
  for (const { server, sockets } of servers.splice(0)) {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
});

/**
 * A mirror that answers every request with these raw bytes; `end` closes the connection after them.
 */
async function rawMirror(bytes: string, end = true): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => (end ? socket.end(bytes) : socket.write(bytes)));
  });
  servers.push({ server, sockets });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const OK = 'HTTP/1.1 200 OK\r\n';
const BROKEN: readonly (readonly [string, string, RegExp])[] = [
  ['headers without end', `${OK}${'X: y\r\n'.repeat(50_000)}`, /Header overflow$/],
  [
    'a redirect to a bad URL',
    'HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n',
    /it redirects to an invalid URL: "http:\/\/\["$/,
  ],
  [
    'a redirect to a bad port',
    'HTTP/1.1 302 Found\r\nLocation: http://a:99999/\r\n\r\n',
    /it redirects to an invalid URL: "http:\/\/a:99999\/"$/,
  ],
  [
    'bad chunks',
    `${OK}Transfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    /Invalid character in chunk size$/,
  ],
  ['a bad status line', 'HTTP/9.9 hello\r\n\r\n', /Parse Error/],
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n', /Parse Error/],
  [
    'a length that is not a number',
    `${OK}Content-Length: x\r\n\r\n`,
    /Invalid character in Content-Length$/,
  ],
  ['two lengths', `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`, /Parse Error/],
  ['a bad header', `${OK}a b\u0001: c\r\n\r\n`, /Parse Error/],
];

describe('a mirror that answers with', () => {
  it.each(BROKEN)(
    '%s is reported with the file, and the next mirror is tried',
    async (_, bytes, reason) => {
      const broken = await rawMirror(bytes);
      const file = lockedDeb('a.deb');
      const thrown = await run([file], [broken]).catch((error: unknown) => error);
      expect(thrown).toMatchObject({
        code: 'mirror-refused',
        message: expect.stringMatching(
          new RegExp(
            `^the mirror ${broken} sent an invalid HTTP response for a\\.deb: .*${reason.source}`,
          ),
        ),
        hint: 'check whether a proxy or another server answers at that address, or name another mirror in .ccp.yaml ("mirrors.debian")',
      });
      const good = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
      await run([file], [broken, good.url]);
      expect(cache().sizeOf(file.sha256)).toBe(DEFAULT_BODY.length);
    },
  );

  it('continues the fetch after broken HTTP for an index page', async () => {
    const broken = await rawMirror('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n!\r\n');
    await expect(run([lockedWheel('sample-1.whl')], [broken])).rejects.toMatchObject({
      code: 'mirror-refused',
      message: `the mirror ${broken}/simple/ sent an invalid HTTP response for sample-1.whl: Parse Error: Invalid character in chunk size`,
    });
  });

  it.each([
    ['a body that is too short', `${OK}Content-Length: 500\r\n\r\nshort`],
    ['a body that never ends', `${OK}\r\n${'x'.repeat(300_000)}`],
    ['a length that is too long', `${OK}Content-Length: 99999999999999\r\n\r\nx`],
  ])('%s is passed over for the next one', async (_, bytes) => {
    const file = lockedDeb('a.deb');
    const good = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    await run([file], [await rawMirror(bytes), good.url]);
    expect(cache().sizeOf(file.sha256)).toBe(DEFAULT_BODY.length);
  });

  it('endless headers, a byte at a time, is skipped', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\nX: ');
      const drip = setInterval(() => socket.write('y'), 50);
      socket.on('close', () => clearInterval(drip));
    });
    servers.push({ server, sockets });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const slow = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const good = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const { events } = await run([lockedDeb('a.deb')], [slow, good.url], { silenceMs: 1000 });
    expect(events).toContainEqual({
      type: 'fetch-retry',
      name: 'a.deb',
      reason: `the mirror ${slow} is slow: it sent no complete response headers within 2 s`,
      delayMs: 0,
    });
  });
});

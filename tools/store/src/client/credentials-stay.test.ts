import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Registry } from '#ports';
import { connectRegistry } from './connect-registry.ts';
import { isSafeFor, redirectTarget } from './redirect-target.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

interface Server {
  readonly origin: string;
  /** `METHOD PATH AUTHORIZATION` of every request. */
  readonly seen: string[];
  answer: Answer;
  close(): Promise<void>;
}

async function serve(): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    own.seen.push([request.method, path, request.headers.authorization ?? 'none'].join(' '));
    request.resume().on('end', () => own.answer(request, response));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const own: Server = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    answer: (_, response) => response.writeHead(404).end(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return own;
}

const LOGIN = `Basic ${Buffer.from('me:pass-word').toString('base64')}`;
const blob = Buffer.from('blob');
const digest = digestOf(blob);
let home: Server;
let other: Server;
let registry: Registry;
let host: string;

beforeEach(async () => {
  [home, other] = [await serve(), await serve()];
  host = new URL(home.origin).host;
  registry = connectRegistry({
    host,
    sleep: async () => undefined,
    credentials: () => ({ user: 'me', password: 'pass-word' }),
  });
});
afterEach(() => Promise.all([home.close(), other.close()]));

/** A 401 response that requires a token from `realm`, or the password. */
const challenge =
  (kind: 'Basic' | 'Bearer', realm: string): Answer =>
  (_, response) =>
    response.writeHead(401, { 'WWW-Authenticate': `${kind} realm="${realm}/token"` }).end();

describe('the registry client', () => {
  it.each(['Basic', 'Bearer'] as const)(
    'does not answer the %s challenge of a redirect target at another origin',
    async (kind) => {
      home.answer = (request, response) =>
        response.writeHead(307, { Location: `${other.origin}${request.url}` }).end();
      other.answer = challenge(kind, other.origin);
      await expect(registry.hasBlob('a/b', digest)).rejects.toThrow(
        `${host} refused to check for blob ${digest} in a/b: status 401`,
      );
      expect(other.seen).toEqual([`HEAD /v2/a/b/blobs/${digest} none`]);
    },
  );

  it.each(['Basic', 'Bearer'] as const)(
    'does not answer the %s challenge of an upload location at another origin',
    async (kind) => {
      home.answer = (request, response) => {
        if (request.method === 'HEAD') return void response.writeHead(404).end();
        if (request.headers.authorization !== LOGIN)
          return challenge('Basic', 'x')(request, response);
        response.writeHead(202, { Location: `${other.origin}/upload` }).end();
      };
      other.answer = challenge(kind, other.origin);
      const write = registry.writeBlob('a/b', digest, blob.length, async function* () {
        yield blob;
      });
      await expect(write).rejects.toThrow(
        `${host} refused to store blob ${digest} in a/b: status 401`,
      );
      expect(other.seen).toEqual(['PATCH /upload none']);
    },
  );

  it('sends the password to only one token realm', async () => {
    let realm = home.origin;
    home.answer = (request, response) => {
      if (request.url?.startsWith('/token')) response.end('{"token":"to.ken"}');
      else challenge('Bearer', realm)(request, response);
    };
    await expect(registry.hasBlob('a/b', digest)).rejects.toThrow('status 401');
    realm = other.origin;
    await expect(registry.hasBlob('c', digest)).rejects.toThrow(
      `${host} sent an invalid response when asked to authenticate: the token realm changed from ${home.origin} to ${other.origin}`,
    );
    expect(other.seen).toEqual([]);
  });

  it('does not follow redirects of the token realm', async () => {
    home.answer = (request, response) => {
      if (request.url?.startsWith('/token'))
        response.writeHead(307, { Location: `${other.origin}/token` }).end();
      else challenge('Bearer', home.origin)(request, response);
    };
    await expect(registry.hasBlob('a/b', digest)).rejects.toThrow(`cannot connect to ${host}`);
    expect(other.seen).toEqual([]);
  });

  it('escapes control characters in error responses', async () => {
    home.answer = (_, response) =>
      response
        .writeHead(500)
        .end(JSON.stringify({ errors: [{ code: 'X\u001b[2J', message: 'a\n\u202eb\u009b' }] }));
    await expect(registry.readManifest('a/b', 'one')).rejects.toThrow(
      `${host} refused to read manifest one of a/b: status 500 (X\\u001b[2J: a\\n\\u202eb\\u009b)`,
    );
  });

  it.each([
    ['http://[', 'the redirect target is not a URL'],
    [
      'http://example.org/',
      'it redirects to http://example.org; redirects must use HTTPS, without credentials in the URL',
    ],
    [
      'file:///etc/passwd',
      'it redirects to file:; redirects must use HTTPS, without credentials in the URL',
    ],
  ])('refuses a redirect to %s', async (location, reason) => {
    home.answer = (_, response) => response.writeHead(307, { Location: location }).end();
    await expect(registry.readManifest('a/b', 'one')).rejects.toThrow(
      `${host} sent an invalid response when asked to read manifest one of a/b: ${reason}`,
    );
  });
});

it.each([
  ['https://r.example/', 'https://r.example/v2/', true],
  ['https://r.example/', 'https://cdn.example/v2/', true],
  ['https://r.example/', 'http://r.example/v2/', false],
  ['https://r.example/', 'http://127.0.0.1:80/', false],
  ['https://r.example/', 'https://user:secret@cdn.example/', false],
  ['http://localhost:5000/', 'http://127.0.0.1:80/', true],
  ['http://localhost:5000/', 'https://cdn.example/', true],
  ['http://localhost:5000/', 'http://127.0.0.1.example.org/', false],
])('checks for a registry at %s whether a redirect to %s is safe: %s', (root, url, safe) => {
  expect(isSafeFor(new URL(root), new URL(url))).toBe(safe);
});

it('refuses a redirect from HTTPS to plain HTTP', () => {
  const [root, base] = [new URL('http://localhost:5000/'), new URL('https://cdn.example/')];
  expect(() =>
    redirectTarget('http://localhost:5000/x', base, root, 'localhost:5000', 'read x'),
  ).toThrow(
    'localhost:5000 sent an invalid response when asked to read x: it redirects to http://localhost:5000; redirects must use HTTPS, without credentials in the URL',
  );
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import { openPythonIndex } from './index-client.ts';

const SDIST = 'the bytes of an sdist';
const page = (...files: readonly object[]): string => JSON.stringify({ files });
const entry = (file: string, url = `../../files/${file}`): object => ({
  filename: file,
  url,
  hashes: { sha256: sha256(SDIST) },
});

let servers: Server[] = [];
afterEach(async () => {
  await Promise.all(
    servers.map(
      (server) => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
    ),
  );
  servers = [];
});

async function serve(
  answer: (path: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<{ readonly root: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('content-type', 'application/json');
    answer(request.url ?? '', response, request);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return { root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const open = (...roots: readonly string[]) =>
  openPythonIndex({ urls: () => roots.map((root) => `${root}/simple/`), fetch, firstMs: 1 });

describe('an index', () => {
  it('is queried again after an incomplete page or file', async () => {
    const broken = new Set<string>();
    const { root, requests } = await serve((path, response) => {
      const body = path.startsWith('/files/') ? SDIST : page(entry('x-1.tar.gz'));
      if (broken.has(path)) return void response.end(body);
      broken.add(path);
      response.writeHead(200, { 'content-length': body.length });
      response.write(body.slice(0, 5), () => setTimeout(() => response.destroy(), 20));
    });
    const index = open(root);
    const [file] = await index.files('X');
    expect(Buffer.from(await index.download(file!)).toString()).toBe(SDIST);
    expect(requests).toEqual([
      '/simple/x/',
      '/simple/x/',
      '/files/x-1.tar.gz',
      '/files/x-1.tar.gz',
    ]);
  });

  it('fails after four attempts, without a wait after the last', async () => {
    const waits: number[] = [];
    const sleep = async (milliseconds: number) => void waits.push(milliseconds);
    const { root, requests } = await serve((_, response) => response.writeHead(503).end());
    await expect(
      openPythonIndex({ urls: () => [`${root}/simple/`], fetch, sleep }).files('x'),
    ).rejects.toMatchObject({
      code: 'python-index-failed',
      message: `${root}/simple/x/ could not be read: it answered 503`,
    });
    expect(requests).toHaveLength(4);
    expect(waits).toHaveLength(3);
  });

  it('receives its login for files at its own origin, and no error shows it', async () => {
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    const { root } = await serve((path, response, request) => {
      if (request.headers.authorization !== login) return void response.writeHead(401).end();
      if (path === '/simple/x/')
        return void response.end(page(entry('x-1.tar.gz', `${root}/files/x-1.tar.gz`)));
      response.setHeader('content-length', SDIST.length).end(SDIST);
    });
    const index = open(root.replace('//', '//me:p%40ss@'));
    expect(await index.sdist('x', '1')).toMatchObject({
      url: `${root}/files/x-1.tar.gz`,
      size: SDIST.length,
    });
    await expect(open(root).files('x')).rejects.toThrow(`${root}/simple/x/ answered 401`);
  });
});

describe('several indexes', () => {
  it('queries indexes in order, and skips an index that is down', async () => {
    const own = await serve((path, response) =>
      path === '/simple/own/'
        ? response.end(page(entry('own-1.tar.gz')))
        : response.writeHead(404).end(),
    );
    const all = await serve((_, response) =>
      response.end(page(entry('own-2.tar.gz'), entry('x-1.tar.gz'))),
    );
    const index = open('http://127.0.0.1:9', own.root, all.root);
    expect((await index.files('own')).map(({ file }) => file)).toEqual(['own-1.tar.gz']);
    expect((await index.files('x')).map(({ file }) => file)).toEqual([
      'own-2.tar.gz',
      'x-1.tar.gz',
    ]);
    expect(await index.urls()).toEqual([`${own.root}/simple/`, `${all.root}/simple/`]);
  });

  it('throws the first error if no index answers, and reports a project that no index has', async () => {
    const empty = await serve((_, response) => response.writeHead(404).end());
    await expect(open('http://127.0.0.1:9', 'http://127.0.0.1:1').files('x')).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:9\/simple\/pip\/ could not be read/,
    );
    await expect(open(empty.root, empty.root).files('X')).rejects.toMatchObject({
      code: 'python-project-unknown',
      message: 'the Python index has no project x',
    });
  });
});

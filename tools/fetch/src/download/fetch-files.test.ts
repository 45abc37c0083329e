import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import type { MirrorServer } from '../testing/mirror-server.ts';
import {
  DEFAULT_BODY,
  lockedDeb,
  fetchFixture,
  goFile,
  lockedWheel,
} from '../testing/fetch-fixture.ts';
import type { LockedFile } from '../locked-file.ts';

const { cache, serve, run, leftovers } = fetchFixture();
const SIZE = { check: 'size' } as const;

describe('successful fetches', () => {
  it('fetches each file once from its archive, and nothing the second time', async () => {
    const server = await serve({
      '/pool/main/a+b_1%3a2~3.deb': '',
      '/pool/main/a+b_1~3.deb': DEFAULT_BODY,
      '/security/pool/main/s.deb': 'security',
    });
    const files = [
      lockedDeb('a+b_1~3.deb'),
      lockedDeb('a+b_1~3.deb'),
      lockedDeb('s.deb', 'security', 'debian-security'),
    ];
    const { report, events } = await run(files, [server.url]);
    expect(report).toEqual({ reused: 0, fetched: 2, received: DEFAULT_BODY.length + 8 });
    expect(events[0]).toEqual({ type: 'fetch-started', files: 2, size: DEFAULT_BODY.length + 8 });
    expect((await run(files, ['http://127.0.0.1:1'])).report).toEqual({
      reused: 2,
      fetched: 0,
      received: 0,
    });
    expect([server.requests.length, leftovers()]).toEqual([2, []]);
  });

  it('fetches files of Go modules from the first proxy that has them', async () => {
    const [empty, server] = [
      await serve({}),
      await serve({
        '/go/x.test/!a/@v/v1.0.0.zip': DEFAULT_BODY,
        '/go/x.test/!a/@v/v1.0.0.mod': 'module x.test/A',
      }),
    ];
    const files = [
      goFile('x.test/A', 'v1.0.0.zip'),
      goFile('x.test/A', 'v1.0.0.mod', 'module x.test/A'),
    ];
    expect((await run(files, [empty.url, server.url])).report.fetched).toBe(2);
    await expect(run([goFile('x.test/B', 'v1.0.0.zip', 'b')], [server.url])).rejects.toMatchObject({
      code: 'file-gone',
      hint: 'no proxy has this version any more: name a proxy that has it in .ccp.yaml ("mirrors.go"), or choose another version in image.yaml',
    });
    await expect(
      run([goFile('x.test/C', 'v1.0.0.zip', 'c')], [], { offline: true }),
    ).rejects.toMatchObject({
      code: 'offline-missing',
      message: expect.stringContaining('x.test/C@v1.0.0.zip'),
    });
  });

  it.each([
    ['fetches a corrupt entry again', {}, DEFAULT_BODY.toUpperCase(), true],
    ['does not read entries of the right size', SIZE, DEFAULT_BODY.toUpperCase(), false],
    ['fetches an entry of another size again', SIZE, 'short', true],
  ])('%s', async (_, options, content, isFetched) => {
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const file = lockedDeb('a.deb');
    await run([file], [server.url]);
    writeFileSync(join(cache().folder, 'sha256', file.sha256.slice(0, 2), file.sha256), content);
    const { events, report } = await run([file], [server.url], options);
    const corrupt = { type: 'fetch-corrupt', name: 'a.deb', offline: false };
    expect(events.filter(({ type }) => type === 'fetch-corrupt')).toEqual(
      isFetched ? [corrupt] : [],
    );
    expect(report.fetched).toBe(isFetched ? 1 : 0);
    expect(await cache().verify(file.sha256)).toBe(isFetched);
  });

  it('fetches npm packages, also scoped ones', async () => {
    const server = await serve({
      '/npm/yaml/-/yaml-2.9.1.tgz': DEFAULT_BODY,
      '/npm/@napi-rs/lzma/-/lzma-1.5.3.tgz': 'scoped',
    });
    const npm = (name: string, version: string, file: string, body: string): LockedFile => ({
      kind: 'npm',
      name,
      version,
      file,
      sha256: sha256(body),
      size: Buffer.byteLength(body),
    });
    const { report } = await run(
      [
        npm('yaml', '2.9.1', 'yaml-2.9.1.tgz', DEFAULT_BODY),
        npm('@napi-rs/lzma', '1.5.3', 'napi-rs-lzma-1.5.3.tgz', 'scoped'),
      ],
      [server.url],
    );
    expect(report.fetched).toBe(2);
  });

  it('resumes after a killed run, and starts over if the mirror does not support ranges', async () => {
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const file = lockedDeb('a.deb');
    mkdirSync(cache().partialFolder, { recursive: true });
    writeFileSync(
      join(cache().partialFolder, `${file.sha256}.part`),
      DEFAULT_BODY.slice(0, 60_000),
    );
    expect((await run([file], [server.url])).report.received).toBe(DEFAULT_BODY.length - 60_000);
    expect(server.requests).toEqual(['GET /pool/main/a.deb from 60000']);

    const second = lockedDeb('b.deb', `${DEFAULT_BODY}b`);
    const noRanges = await serve({}, (_, response) => (response.end(`${DEFAULT_BODY}b`), true));
    writeFileSync(
      join(cache().partialFolder, `${second.sha256}.part`),
      DEFAULT_BODY.slice(0, 60_000),
    );
    expect((await run([second], [noRanges.url])).report.received).toBe(DEFAULT_BODY.length + 1);
    expect(leftovers()).toEqual([]);
  });

  it('resumes in the same run after a lost connection', async () => {
    let broken = false;
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY }, (_, response) => {
      if (broken) return false;
      broken = true;
      response.writeHead(200, { 'content-length': DEFAULT_BODY.length });
      response.write(DEFAULT_BODY.slice(0, 50_000), () => setTimeout(() => response.destroy(), 50));
      return true;
    });
    const { report, events } = await run([lockedDeb('a.deb')], [server.url]);
    expect(report.fetched).toBe(1);
    expect(server.requests).toEqual(['GET /pool/main/a.deb', 'GET /pool/main/a.deb from 50000']);
    expect(events.map(({ type }) => type)).toEqual([
      'fetch-started',
      'fetch-retry',
      'fetch-file',
      'fetch-ended',
    ]);
  });

  it('discards a partial download of a different file and fetches the whole file', async () => {
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const file = lockedDeb('a.deb');
    mkdirSync(cache().partialFolder, { recursive: true });
    writeFileSync(join(cache().partialFolder, `${file.sha256}.part`), 'y'.repeat(60_000));
    const { events } = await run([file], [server.url]);
    expect(events[1]).toMatchObject({
      type: 'fetch-retry',
      reason: 'the resumed download does not have the locked hash',
    });
    expect(server.requests).toEqual(['GET /pool/main/a.deb from 60000', 'GET /pool/main/a.deb']);
  });

  it('ignores a pipe named like a partial download', async () => {
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const file = lockedDeb('a.deb');
    mkdirSync(cache().partialFolder, { recursive: true });
    execFileSync('mkfifo', [join(cache().partialFolder, `${file.sha256}.part`)]);
    expect((await run([file], [server.url])).report).toMatchObject({
      fetched: 1,
      received: DEFAULT_BODY.length,
    });
  });

  it('waits as long as a busy mirror requests', async () => {
    let busy = 1;
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY }, (_, response) => {
      if (busy-- <= 0) return false;
      response.writeHead(429, { 'retry-after': '1' }).end();
      return true;
    });
    const { events } = await run([lockedDeb('a.deb')], [server.url]);
    expect(events[1]).toEqual({
      type: 'fetch-retry',
      name: 'a.deb',
      reason: 'the mirror answered 429',
      delayMs: 1000,
    });
  });

  it('tries the next mirror if one does not have the file, serves different bytes or is down', async () => {
    const good = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    const other = await serve({ '/pool/main/a.deb': DEFAULT_BODY.replace('end', 'END') });
    const empty = await serve({});
    expect(
      (await run([lockedDeb('a.deb')], [empty.url, other.url, 'http://127.0.0.1:1', good.url]))
        .report.fetched,
    ).toBe(1);
  });

  it('follows redirections, and uses the proxy of the environment except for excluded hosts', async () => {
    const target = await serve({ '/there': DEFAULT_BODY });
    const proxy = await serve({ 'http://mirror.test/pool/main/a.deb': DEFAULT_BODY });
    const redirecting = await serve(
      {},
      (_, response) => (response.writeHead(302, { location: `${target.url}/there` }).end(), true),
    );
    const env = { http_proxy: proxy.url, NO_PROXY: '127.0.0.1' };
    await run([lockedDeb('a.deb')], ['http://mirror.test'], { env });
    expect(proxy.requests).toEqual(['GET http://mirror.test/pool/main/a.deb']);
    await cache().prune({ olderThanMs: -1 });
    await run([lockedDeb('a.deb')], [redirecting.url], { env });
    expect([target.requests, proxy.requests.length]).toEqual([['GET /there'], 1]);
  });

  it.each([
    [
      'JSON',
      'application/vnd.pypi.simple.v1+json',
      (hash: string) =>
        JSON.stringify({
          files: [
            { filename: 'other.whl', url: '/no' },
            { filename: 'sample-1.whl', url: '../../files/sample-1.whl', hashes: { sha256: hash } },
          ],
        }),
    ],
    [
      'HTML',
      'text/html',
      (hash: string) =>
        `<html><a href="/no">other.whl</a><a data-requires-python="&gt;=3" href='../../files/sample-1.whl#sha256=${hash}'>sample-1.whl</a></html>`,
    ],
    ['HTML without hashes', 'text/html', () => '<a href="/files/sample-1.whl">sample-1.whl</a>'],
  ])('finds Python files by the index page as %s, asked once', async (_, type, page) => {
    const server = await serve(
      { '/files/sample-1.whl': DEFAULT_BODY, '/files/two.whl': 'two' },
      (request, response) => {
        if (request.url !== '/simple/sample-project/') return false;
        response.setHeader('content-type', type).end(page(sha256(DEFAULT_BODY)));
        return true;
      },
    );
    await run([lockedWheel('sample-1.whl')], [server.url]);
    expect(server.requests).toEqual(['GET /simple/sample-project/', 'GET /files/sample-1.whl']);
  });

  it('sends the login of an index only to files and redirections at the same origin', async () => {
    const logins: (string | undefined)[] = [];
    const login = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    const elsewhere = await serve(
      { '/two.whl': 'two' },
      (request) => (logins.push(request.headers.authorization), false),
    );
    const server: MirrorServer = await serve(
      { '/moved/one.whl': DEFAULT_BODY },
      (request, response) => {
        if (request.headers.authorization !== login) return (response.writeHead(401).end(), true);
        if (request.url === '/files/one.whl')
          return (response.writeHead(302, { location: `${server.url}/moved/one.whl` }).end(), true);
        if (request.url?.startsWith('/simple/') !== true) return false;
        const files = [
          { filename: 'one.whl', url: `${server.url}/files/one.whl` },
          { filename: 'two.whl', url: `${elsewhere.url}/two.whl` },
        ];
        return (
          response.setHeader('content-type', 'application/json').end(JSON.stringify({ files })),
          true
        );
      },
    );
    const { report } = await run(
      [lockedWheel('one.whl'), lockedWheel('two.whl', 'two')],
      [server.url.replace('//', '//me:p%40ss@')],
    );
    expect([report.fetched, logins]).toEqual([2, [undefined]]);
  });
});

import { describe, expect, it } from 'vitest';
import { CcpErrors, sha256 } from '#core';
import { DEFAULT_BODY, lockedDeb, fetchFixture, lockedWheel } from '../testing/fetch-fixture.ts';
import type { FetchEvent } from './fetch.ts';

const { cache, serve, run, leftovers } = fetchFixture();

describe('failed fetches', () => {
  it('reports different bytes with the file, both hashes and the mirror without its password', async () => {
    const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY.replace('end', 'END') });
    const url = server.url.replace('http://', 'http://me:sesame@');
    const file = lockedDeb('a.deb');
    await expect(run([file], [url])).rejects.toMatchObject({
      code: 'checksum-mismatch',
      message: `a.deb from ${server.url.replace('http://', 'http://***@')}/pool/main/a.deb is not the locked file: expected ${file.size} bytes with ${file.sha256}, got ${file.size} bytes with ${sha256(DEFAULT_BODY.replace('end', 'END'))}`,
    });
    expect([cache().sizeOf(file.sha256), leftovers()]).toEqual([undefined, []]);
  });

  it('stops reading a file that is longer than locked', async () => {
    const server = await serve({ '/pool/main/a.deb': `${DEFAULT_BODY}${DEFAULT_BODY}` });
    await expect(run([lockedDeb('a.deb')], [server.url])).rejects.toThrow(
      /got more than 100003 bytes$/,
    );
    expect(leftovers()).toEqual([]);
  });

  it('refuses a Python file that the index lists with another hash, without a download', async () => {
    const server = await serve({}, (_, response) => {
      response.setHeader('content-type', 'application/json').end(
        JSON.stringify({
          files: [{ filename: 'sample-1.whl', url: '/x', hashes: { sha256: sha256('other') } }],
        }),
      );
      return true;
    });
    await expect(run([lockedWheel('sample-1.whl')], [server.url])).rejects.toThrow(
      `${server.url}/simple/ lists sample-1.whl with SHA-256 ${sha256('other')}, the lock has ${sha256(DEFAULT_BODY)}`,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('reports all removed files with hints', async () => {
    const server = await serve({ '/pool/main/here.deb': DEFAULT_BODY });
    const thrown: unknown = await run(
      [lockedDeb('here.deb'), lockedDeb('gone.deb', 'gone'), lockedWheel('gone.whl', 'gone too')],
      [server.url],
    ).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(CcpErrors);
    const { findings } = thrown as CcpErrors;
    expect(
      findings.map(({ code, message, hint, inputs }) => ({ code, message, hint, inputs })),
    ).toEqual([
      {
        code: 'file-gone',
        message: `gone.deb is no longer at ${server.url}/pool/main/gone.deb (404)`,
        hint: 'Debian has removed this version: lock newer packages with "ccp lock --update", or use a cache that still has the file (CCP_CACHE)',
        inputs: ['gone.deb'],
      },
      {
        code: 'file-gone',
        message: `gone.whl is not listed at ${server.url}/simple/`,
        hint: 'the file was withdrawn, or it was locked from another index: name that index in .ccp.yaml ("mirrors.python"), or lock another file with "ccp lock --update"',
        inputs: ['gone.whl'],
      },
    ]);
    expect(cache().sizeOf(sha256(DEFAULT_BODY))).toBe(DEFAULT_BODY.length);
  });

  it('reports an unreachable mirror once, with the setting to change', async () => {
    const files = Array.from({ length: 30 }, (_, index) =>
      lockedDeb(`${index}.deb`, `body ${index}`),
    );
    await expect(run(files, ['http://127.0.0.1:1'])).rejects.toMatchObject({
      code: 'mirror-unreachable',
      message: 'the mirror http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
      hint: 'set "mirrors.debian" in .ccp.yaml to a mirror that can be reached, or HTTPS_PROXY and HTTP_PROXY to your proxy; "--offline" uses only the cache',
    });
  });

  it('lists all missing files offline, without a request', async () => {
    const server = await serve({});
    await expect(
      run([lockedDeb('b.deb', 'b'), lockedWheel('a.whl', 'a')], [server.url], { offline: true }),
    ).rejects.toMatchObject({
      code: 'offline-missing',
      message: '2 locked files are not in the cache:\n- a.whl\n- b.deb',
      inputs: ['a.whl', 'b.deb'],
    });
    expect(server.requests).toEqual([]);
  });

  it('stops on the signal and keeps received bytes for the next run', async () => {
    const server = await serve({}, (_, response) => {
      response.writeHead(200, { 'content-length': DEFAULT_BODY.length });
      response.write(DEFAULT_BODY.slice(0, 50_000));
      return true;
    });
    const stop = new AbortController();
    const file = lockedDeb('a.deb');
    const events = (event: FetchEvent): void => {
      if (event.type === 'fetch-progress' && event.received === 50_000) stop.abort();
    };
    await expect(run([file], [server.url], { signal: stop.signal, events })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(leftovers()).toEqual([`${file.sha256}.part`]);
    const whole = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
    expect((await run([file], [whole.url])).report.received).toBe(DEFAULT_BODY.length - 50_000);
  });

  it('reports an unreadable certificate file with its variable', async () => {
    await expect(
      run([lockedDeb('a.deb')], ['https://127.0.0.1:1'], { env: { SSL_CERT_FILE: '/none.pem' } }),
    ).rejects.toMatchObject({
      code: 'ca-unreadable',
      message: 'cannot read the certificate file /none.pem (SSL_CERT_FILE)',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { CcpErrors, sha256 } from '#core';
import { BODY, deb, fetchWorld, wheel } from '../testing/fetch-world.ts';
import type { FetchEvent } from './fetch.ts';

const { cache, serve, run, leftovers } = fetchWorld();

describe('what does not come', () => {
  it('tells other bytes with the file, both hashes and the mirror without its password', async () => {
    const server = await serve({ '/pool/main/a.deb': BODY.replace('end', 'END') });
    const url = server.url.replace('http://', 'http://me:sesame@');
    const file = deb('a.deb');
    await expect(run([file], [url])).rejects.toMatchObject({
      code: 'checksum-mismatch',
      message: `a.deb from ${server.url.replace('http://', 'http://***@')}/pool/main/a.deb is not the locked file: expected ${file.size} bytes with ${file.sha256}, got ${file.size} bytes with ${sha256(BODY.replace('end', 'END'))}`,
    });
    expect([cache().sizeOf(file.sha256), leftovers()]).toEqual([undefined, []]);
  });

  it('stops reading what is longer than locked', async () => {
    const server = await serve({ '/pool/main/a.deb': `${BODY}${BODY}` });
    await expect(run([deb('a.deb')], [server.url])).rejects.toThrow(/got more than 100003 bytes$/);
    expect(leftovers()).toEqual([]);
  });

  it('refuses at once a Python file that the index lists with another hash', async () => {
    const server = await serve({}, (_, response) => {
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ files: [{ filename: 'sample-1.whl', url: '/x', hashes: { sha256: sha256('other') } }] }));
      return true;
    });
    await expect(run([wheel('sample-1.whl')], [server.url])).rejects.toThrow(
      `${server.url}/simple/ lists sample-1.whl with ${sha256('other')}, the lock has ${sha256(BODY)}`,
    );
    expect(server.requests).toHaveLength(1);
  });

  it('tells all files that are gone, with what to do', async () => {
    const server = await serve({ '/pool/main/here.deb': BODY });
    const thrown: unknown = await run([deb('here.deb'), deb('gone.deb', 'gone'), wheel('gone.whl', 'gone too')], [server.url]).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(CcpErrors);
    const { findings } = thrown as CcpErrors;
    expect(findings.map(({ code, message, hint }) => ({ code, message, hint }))).toEqual([
      {
        code: 'file-gone',
        message: `gone.deb is no longer at ${server.url}/pool/main/gone.deb (404)`,
        hint: 'Debian\'s archive has moved on: take newer packages with "ccp lock --update", or share a cache that still has the file (CCP_CACHE)',
      },
      {
        code: 'file-gone',
        message: `gone.whl is not listed at ${server.url}/simple/`,
        hint: 'it was withdrawn, or the index is not the one it was locked from: name that in .ccp.yaml ("mirrors.python"), or take another with "ccp lock --update"',
      },
    ]);
    expect(cache().sizeOf(sha256(BODY))).toBe(BODY.length);
  });

  it('tells an unreachable mirror once, with what to set', async () => {
    const files = Array.from({ length: 30 }, (_, index) => deb(`${index}.deb`, `body ${index}`));
    await expect(run(files, ['http://127.0.0.1:1'])).rejects.toMatchObject({
      code: 'mirror-unreachable',
      message: 'the mirror http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
      hint: 'set "mirrors.debian" in .ccp.yaml to one that answers, or HTTPS_PROXY and HTTP_PROXY to your proxy; "--offline" uses the cache alone',
    });
  });

  it('names everything that is missing offline, and asks nobody', async () => {
    const server = await serve({});
    await expect(run([deb('b.deb', 'b'), wheel('a.whl', 'a')], [server.url], { offline: true })).rejects.toMatchObject({
      code: 'offline-missing',
      message: '2 locked files are not in the cache:\n- a.whl\n- b.deb',
    });
    expect(server.requests).toEqual([]);
  });

  it('stops on the signal, and keeps what came for the next run', async () => {
    const server = await serve({}, (_, response) => {
      response.writeHead(200, { 'content-length': BODY.length });
      response.write(BODY.slice(0, 50_000));
      return true;
    });
    const stop = new AbortController();
    const file = deb('a.deb');
    const events = (event: FetchEvent): void => {
      if (event.type === 'fetch-progress' && event.received === 50_000) stop.abort();
    };
    await expect(run([file], [server.url], { signal: stop.signal, events })).rejects.toMatchObject({ code: 'cancelled' });
    expect(leftovers()).toEqual([`${file.sha256}.part`]);
    const whole = await serve({ '/pool/main/a.deb': BODY });
    expect((await run([file], [whole.url])).report.received).toBe(BODY.length - 50_000);
  });

  it('tells what a certificate file that cannot be read is for', async () => {
    await expect(run([deb('a.deb')], ['https://127.0.0.1:1'], { env: { SSL_CERT_FILE: '/none.pem' } })).rejects.toMatchObject({
      code: 'ca-unreadable',
      message: 'SSL_CERT_FILE names /none.pem, which cannot be read',
    });
  });
});

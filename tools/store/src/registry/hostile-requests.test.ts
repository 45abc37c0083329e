import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CcpError, digestOf } from '#core';
import type { ImageStore } from '#ports';
import { openStore } from '../index.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../testing/push-image.ts';
import { randomRequest, seededNumbers } from '../testing/random-request.ts';
import { basicAuthorization, rawRequest } from '../testing/raw-request.ts';
import { newLogin } from './registry-access.ts';
import type { RegistryStorage } from './registry-storage.ts';
import { serveRegistry } from './serve-registry.ts';

const SECONDS = Number(process.env['CCP_FUZZ_SECONDS'] ?? 0);
const FIRST_SEED = Number(process.env['CCP_FUZZ_SEED'] ?? (SECONDS > 0 ? Date.now() : 1));
const CASES = 600;
const AT_ONCE = 20;

const folder = mkdtempSync(join(tmpdir(), 'ccp-hostile-'));
const faults: unknown[] = [];
const onFault = (fault: unknown): void => void faults.push(fault);
let store: ImageStore;

beforeAll(async () => {
  // With these listeners, an error that would crash the process is recorded here instead.
  process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  store = await openStore({ folder });
});
afterAll(async () => {
  process.off('uncaughtException', onFault).off('unhandledRejection', onFault);
  await store.close();
  rmSync(folder, { recursive: true });
});

/**
 * Sends bytes; resolves with the response's first line when the connection is closed or timed out.
 */
function send(address: string, bytes: Uint8Array, timeoutMs: number): Promise<string> {
  const [host, port] = address.split(':');
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), host, () => socket.end(bytes));
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('data', (data) => (text += data.toString('latin1'))).on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text.split('\r\n', 1)[0] ?? '');
    });
  });
}

describe('the registry under hostile requests', () => {
  it(
    'answers or closes each, continues to serve, and keeps its images',
    { timeout: 60_000 + SECONDS * 1000 },
    async () => {
      const identity = testIdentity('kept');
      const image = await pushAndSeal(store, identity, [fixtureTar([{ name: 'a', type: 'file' }])]);
      await store.publish(image);
      const authorization = basicAuthorization(store.login);
      const until = performance.now() + SECONDS * 1000;
      for (let done = 0; done < CASES || performance.now() < until; done += AT_ONCE) {
        const seeds = Array.from({ length: AT_ONCE }, (_, index) => FIRST_SEED + done + index);
        const lines = await Promise.all(
          seeds.map((seed) => {
            const next = seededNumbers(seed);
            const bytes = randomRequest(next, store.address, authorization);
            return send(store.address, bytes, next() < 0.2 ? 5 : 500);
          }),
        );
        const wrong = seeds.filter((_, index) => !/^$|^HTTP\/1\.1 [1-4]\d\d /.test(lines[index]!));
        expect([wrong, lines.filter((line) => line.includes(' 5'))]).toEqual([[], []]);
        expect(faults, `seeds from ${seeds[0]}`).toEqual([]);
      }
      const ping = { headers: { Authorization: authorization } };
      expect((await rawRequest(store.address, 'GET', '/v2/', ping)).status).toBe(200);
      expect(store.list()).toEqual([image]);
      await store.verify(image.digest);
    },
  );
});

/** A storage in which every operation throws the result of `fault`, except for upload files. */
function brokenStorage(fault: () => Error): RegistryStorage {
  const fail = (): never => {
    throw fault();
  };
  return {
    blobSize: fail,
    blobFile: fail,
    manifest: fail,
    tags: fail,
    referrers: fail,
    inbox: {
      scratch: () => join(folder, 'scratch'),
      putBlob: fail,
      putManifest: fail,
      deleteBlob: fail,
      deleteManifest: fail,
    },
  };
}

describe('a registry whose disk is broken', () => {
  const login = newLogin();
  const headers = { Authorization: basicAuthorization(login) };
  const full = new CcpError({ code: 'store-full', message: 'no space left' });
  const broken = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });

  it.each<[string, Error, number]>([
    ['full', full, 403],
    ['broken', broken, 500],
  ])(
    'answers every route while its disk is %s, and reports the repository',
    async (_, fault, status) => {
      const reported: string[] = [];
      const server = await serveRegistry(
        brokenStorage(() => fault),
        { host: '127.0.0.1', port: 0, login, onFull: (repository) => reported.push(repository) },
      );
      const digest = digestOf('x');
      for (const [method, path] of [
        ['GET', `/v2/a/blobs/${digest}`],
        ['GET', '/v2/a/manifests/x'],
        ['GET', '/v2/a%2Fb/manifests/x'],
        ['GET', '/v2/a/tags/list'],
        ['GET', `/v2/a/referrers/${digest}`],
        ['PUT', '/v2/a%2Fb/manifests/x'],
        ['POST', `/v2/%61/blobs/uploads/?mount=${digest}`],
        ['POST', `/v2/%61/blobs/uploads/?digest=${digest}`],
      ] as const) {
        const body =
          method === 'GET' ? '' : path.includes('manifests') ? '{"schemaVersion":2}' : 'x';
        const answer = await rawRequest(`127.0.0.1:${server.port}`, method, path, {
          body,
          headers,
        });
        expect([path, answer.status]).toEqual([path, status]);
      }
      await server.close();
      expect(faults).toEqual([]);
      expect(reported).toEqual(status === 403 ? ['a', 'a', 'a/b', 'a', 'a', 'a/b', 'a', 'a'] : []);
      expect(existsSync(join(folder, 'scratch'))).toBe(false);
    },
  );

  it('answers an upload that the disk has no space for, after its whole body', async () => {
    symlinkSync('/dev/full', join(folder, 'scratch'));
    const storage = brokenStorage(() => full);
    const server = await serveRegistry(
      { ...storage, blobSize: () => undefined },
      { host: '127.0.0.1', port: 0, login },
    );
    const path = `/v2/a/blobs/uploads/?digest=${digestOf('x')}`;
    const answer = await rawRequest(`127.0.0.1:${server.port}`, 'POST', path, {
      body: 'x'.repeat(30 << 20),
      headers,
    });
    await server.close();
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('ENOSPC')]);
    expect(existsSync(join(folder, 'scratch'))).toBe(false);
  });

  it('removes the file of a failed upload', async () => {
    const before = readdirSync(join(folder, 'incoming/scratch'));
    await rawRequest(store.address, 'POST', `/v2/a/blobs/uploads/?digest=${digestOf('y')}`, {
      body: 'x',
      headers: { Authorization: basicAuthorization(store.login) },
    });
    expect(readdirSync(join(folder, 'incoming/scratch'))).toEqual(before);
  });
});

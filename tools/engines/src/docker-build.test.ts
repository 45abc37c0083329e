import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { platform } from '#core';
import type { EngineBuildRequest } from '#ports';
import { connectEngine, type DockerEngine } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-engine-'));
const path = join(folder, 'docker.sock');
let server: Server;

/** Connects to a daemon that answers pings, and everything else as the test says. */
async function engineThat(answers: RequestListener): Promise<DockerEngine> {
  server = createServer((request, response) => (request.url === '/_ping' ? response.end('OK') : answers(request, response)));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return connectEngine(`unix://${path}`);
}

afterEach(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const request: EngineBuildRequest = {
  context: async function* () { yield Buffer.alloc(1024); },
  dockerfile: 'Dockerfile',
  buildArgs: { CCP_PARENT_BASE: '127.0.0.1:5000/base@sha256:00' },
  platform: platform('linux/amd64'),
  network: 'none',
  reference: '127.0.0.1:5000/x:1',
  noCache: true,
};
const never = new AbortController().signal;
const build = (engine: DockerEngine, signal = never) => engine.build(request, () => undefined, signal);

describe('a build', () => {
  it('asks for BuildKit, without a session or the network, whatever DOCKER_HOST says', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    let asked = '';
    const engine = await engineThat((incoming, response) => {
      asked = incoming.url!;
      incoming.resume().on('end', () => response.end('{"id":"moby.image.id","aux":{"ID":"sha256:abc"}}\n'));
    });
    expect(await build(engine)).toEqual({ imageId: 'sha256:abc' });
    const { buildid, ...query } = Object.fromEntries(new URL(asked, 'http://engine').searchParams);
    expect(buildid).toMatch(/^[0-9a-f-]{36}$/);
    expect(query).toEqual({
      version: '2',
      t: '127.0.0.1:5000/x:1',
      dockerfile: 'Dockerfile',
      networkmode: 'none',
      platform: 'linux/amd64',
      buildargs: '{"CCP_PARENT_BASE":"127.0.0.1:5000/base@sha256:00"}',
      nocache: '1',
    });
  });

  it.each<[string, RequestListener, string, string]>([
    ['answers 500', (_, response) => response.writeHead(500).end('{"message":"busy"}'), 'engine-failed', 'failed: busy'],
    ['answers 400', (_, response) => response.writeHead(400).end('{"message":"bad platform"}'), 'build-invalid', 'cannot build 127.0.0.1:5000/x:1: bad platform'],
    ['is full', (_, response) => response.writeHead(500).end('{"message":"write: no space left on device"}'), 'engine-disk-full', 'is full (write: no space left on device)'],
    ['cuts the connection before it answers', (incoming) => incoming.socket.destroy(), 'engine-failed', 'socket hang up'],
    ['dies in the middle', (incoming, response) => { response.write('{"stream":"x"}\n', () => incoming.socket.destroy()); }, 'engine-failed', 'aborted'],
    ['stops before the image is named', (incoming, response) => incoming.resume().on('end', () => response.end('{"stream":"x"}\n')), 'engine-failed', 'failed: its answer ended before the build did'],
    ['says 200 and fails in the stream', (incoming, response) => incoming.resume().on('end', () => response.end('{"errorDetail":{"message":"exit code: 9"},"error":"exit code: 9"}\n')), 'build-failed', 'cannot build 127.0.0.1:5000/x:1: it failed with exit code 9'],
  ])('fails where the engine %s', async (_, answers, code, text) => {
    const engine = await engineThat(answers);
    await expect(build(engine)).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
  });

  it('asks the engine to cancel, and does not wait for an engine that is stuck', async () => {
    const asked: string[] = [];
    const stop = new AbortController();
    const engine = await engineThat((incoming) => {
      asked.push(incoming.url!.replace(/=.*/, ''));
      if (asked.length === 1) stop.abort();
    });
    const begun = performance.now();
    await expect(build(engine, stop.signal)).rejects.toMatchObject({ code: 'cancelled', message: `build 127.0.0.1:5000/x:1 on unix://${path}: cancelled` });
    expect(performance.now() - begun).toBeLessThan(2000);
    expect(asked).toEqual(['/build?version', '/build/cancel?id']);
  });
});

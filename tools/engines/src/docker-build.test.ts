import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { CcpError, platform } from '#core';
import type { EngineBuildRequest } from '#ports';
import { connectEngine, type DockerEngine } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-engine-'));
const path = join(folder, 'docker.sock');
let server: Server;

/** Connects to a fake daemon that responds to pings; the test handles all other requests. */
async function engineThat(answers: RequestListener): Promise<DockerEngine> {
  server = createServer((request, response) =>
    request.url === '/_ping' ? response.end('OK') : answers(request, response),
  );
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
  context: async function* () {
    yield Buffer.alloc(1024);
  },
  dockerfile: 'Dockerfile',
  buildArgs: { CCP_PARENT_BASE: '127.0.0.1:5000/base@sha256:00' },
  platform: platform('linux/amd64'),
  network: 'none',
  reference: '127.0.0.1:5000/x:1',
  noCache: true,
};
const never = new AbortController().signal;
const build = (engine: DockerEngine, signal = never) =>
  engine.build(request, () => undefined, signal);

describe('a build', () => {
  it('requests BuildKit without a session or network, and ignores DOCKER_HOST', async () => {
    vi.stubEnv('DOCKER_HOST', 'tcp://127.0.0.1:1');
    let asked = '';
    const engine = await engineThat((incoming, response) => {
      asked = incoming.url!;
      incoming
        .resume()
        .on('end', () => response.end('{"id":"moby.image.id","aux":{"ID":"sha256:abc"}}\n'));
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
    [
      'returns 500',
      (_, response) => response.writeHead(500).end('{"message":"busy"}'),
      'engine-failed',
      'failed: busy',
    ],
    [
      'returns 400',
      (_, response) => response.writeHead(400).end('{"message":"bad platform"}'),
      'build-invalid',
      'cannot build 127.0.0.1:5000/x:1: bad platform',
    ],
    [
      'is full',
      (_, response) => response.writeHead(500).end('{"message":"write: no space left on device"}'),
      'engine-disk-full',
      'is full (write: no space left on device)',
    ],
    [
      'closes the connection before it responds',
      (incoming) => incoming.socket.destroy(),
      'engine-failed',
      'socket hang up',
    ],
    [
      'stops in the middle of a response',
      (incoming, response) => {
        response.write('{"stream":"x"}\n', () => incoming.socket.destroy());
      },
      'engine-failed',
      'aborted',
    ],
    [
      'does not return JSON',
      (incoming, response) => incoming.resume().on('end', () => response.end('<html>\n')),
      'engine-invalid',
      'sent a line that is not a JSON object: "<html>"',
    ],
    [
      'stops before it reports the image',
      (incoming, response) => incoming.resume().on('end', () => response.end('{"stream":"x"}\n')),
      'engine-failed',
      'failed: its response ended before the build was complete',
    ],
    [
      'stops in the middle of a line',
      (incoming, response) =>
        incoming.resume().on('end', () => response.end('{"stream":"x"}\n{"stream":"b1-1')),
      'engine-failed',
      'failed: its response ended before the build was complete',
    ],
    [
      'returns 200 and fails in the stream',
      (incoming, response) =>
        incoming
          .resume()
          .on('end', () =>
            response.end('{"errorDetail":{"message":"exit code: 9"},"error":"exit code: 9"}\n'),
          ),
      'build-failed',
      'cannot build 127.0.0.1:5000/x:1: the build failed with exit code 9',
    ],
  ])('fails if the engine %s', async (_, answers, code, text) => {
    const engine = await engineThat(answers);
    await expect(build(engine)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(text),
    });
  });

  it.each([
    new TypeError('x is not a function'),
    new RangeError('offset is out of range'),
    new CcpError({ code: 'file-changed', message: 'files/a changed' }),
  ])('throws the error of the context: %s', async (raised) => {
    const engine = await engineThat((incoming) => void incoming.resume());
    const context = async function* () {
      yield Buffer.alloc(1024);
      throw raised;
    };
    await expect(engine.build({ ...request, context }, () => undefined, never)).rejects.toBe(
      raised,
    );
  });

  it('cancels the build on the engine, and does not wait for a hanging engine', async () => {
    const asked: string[] = [];
    const stop = new AbortController();
    const engine = await engineThat((incoming) => {
      asked.push(incoming.url!.replace(/=.*/, ''));
      if (asked.length === 1) stop.abort();
    });
    const begun = performance.now();
    await expect(build(engine, stop.signal)).rejects.toMatchObject({
      code: 'cancelled',
      message: `build 127.0.0.1:5000/x:1 on unix://${path}: cancelled`,
    });
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(asked).toEqual(['/build?version', '/build/cancel?id']);
  });
});

describe('a push or a pull', () => {
  const reference = '127.0.0.1:5000/x:1';
  const stream =
    (message: string): RequestListener =>
    (incoming, response) =>
      incoming
        .resume()
        .on('end', () =>
          response.end(`${JSON.stringify({ errorDetail: { message }, error: message })}\n`),
        );
  it.each<[string, RequestListener, string]>([
    [
      'returns 404',
      (_, response) => response.writeHead(404).end('{"message":"no such image"}'),
      'refused',
    ],
    [
      'returns 400',
      (_, response) => response.writeHead(400).end('{"message":"invalid reference format"}'),
      'refused',
    ],
    [
      'reports a missing image',
      stream('An image does not exist locally with the tag: x'),
      'refused',
    ],
    ['reports a failure', stream('layers from manifest do not fit'), 'failed'],
  ])('is not retried if the engine %s', async (_, answers, end) => {
    const engine = await engineThat(answers);
    await expect(engine.push(reference, never)).rejects.toMatchObject({ code: `push-${end}` });
    await expect(engine.pull(reference, never)).rejects.toMatchObject({ code: `pull-${end}` });
  });

  it.each<[string, RequestListener]>([
    ['returns 500', (_, response) => response.writeHead(500).end('{"message":"busy"}')],
    ['closes the connection', (incoming) => incoming.socket.destroy()],
  ])('reports an engine failure if the engine %s', async (_, answers) => {
    const engine = await engineThat(answers);
    await expect(engine.push(reference, never)).rejects.toMatchObject({ code: 'engine-failed' });
  });
});

import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import type { PodExec } from '#ports';
import { podExec } from './pod-exec.ts';
import { retryingServer } from './retrying-server.ts';
import { fixedCredentials } from './token-credentials.ts';
import { httpTransport } from './transport.ts';

type Program = (socket: Duplex, send: (channel: number, text: string) => void) => void;

let server: Server | undefined;
let asked: IncomingMessage | undefined;
afterEach(() => void server?.close());

/** A server whose pods run this program. */
async function execWith(program: Program): Promise<PodExec> {
  server = createServer((_, answer) => {
    answer.writeHead(403, { 'content-type': 'application/json' });
    answer.end(JSON.stringify({ kind: 'Status', code: 403, message: 'pods/exec is forbidden' }));
  });
  server.on('upgrade', (request, socket) => {
    asked = request;
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
    );
    program(socket, (channel, text) => {
      const body = Buffer.concat([Buffer.of(channel), Buffer.from(text)]);
      const head = Buffer.of(0x82, 126, body.length >> 8, body.length & 0xff);
      socket.write(Buffer.concat([head, body]));
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const credentials = fixedCredentials({ token: 'token-of-pod-exec' });
  const connection = { name: 'test', server: `http://127.0.0.1:${port}`, tls: {}, credentials };
  return podExec(retryingServer(httpTransport(connection), credentials));
}

const pod = { namespace: 'cloud', name: 'base-0' };

describe('a program in a pod', () => {
  it('gets its words and input, and its output is passed on', async () => {
    const exec = await execWith((socket, send) => {
      let size = 0;
      socket.on('data', (part: Buffer) => {
        size += part.length;
        // Two frames of a header, a channel and 300,000 bytes together.
        if (size < 300_000) return;
        send(2, 'a warning');
        send(1, 'one ');
        send(1, 'two');
        send(3, '{"status":"Success"}');
      });
    });
    const output: string[] = [];
    await exec(pod, ['cat', 'a b'], {
      input: (async function* () {
        yield Buffer.alloc(300_000, 'x');
      })(),
      output: (part) => void output.push(Buffer.from(part).toString()),
    });
    expect(output.join('')).toBe('one two');
    expect(asked?.url).toBe(
      '/api/v1/namespaces/cloud/pods/base-0/exec?command=cat&command=a+b&stdin=true&stdout=true&stderr=true',
    );
    expect(asked?.headers).toMatchObject({
      authorization: 'Bearer token-of-pod-exec',
      'sec-websocket-protocol': 'v4.channel.k8s.io',
    });
  });

  it('gets long input without a warning about listeners', async () => {
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', note);
    const exec = await execWith((socket, send) => {
      let size = 0;
      socket.on('data', (part: Buffer) => {
        size += part.length;
        socket.pause();
        setImmediate(() => socket.resume());
        if (size >= 20_000_000) send(3, '{"status":"Success"}');
      });
    });
    await exec(pod, ['cat'], {
      input: (async function* () {
        for (let part = 0; part < 80; part += 1) yield Buffer.alloc(250_000);
      })(),
    });
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });

  it.each<[string, Program, string]>([
    [
      'it fails',
      (_, send) => {
        send(2, 'no such file\n');
        send(3, '{"status":"Failure","message":"command terminated with exit code 1"}');
      },
      'cannot run cat in Pod cloud/base-0: no such file',
    ],
    [
      'it fails without a message',
      (_, send) => send(3, '{"status":"Failure","message":"it exited with 1"}'),
      'cannot run cat in Pod cloud/base-0: it exited with 1',
    ],
    [
      'the connection ends',
      (socket) => void socket.end(),
      'cannot run cat in Pod cloud/base-0: the connection ended early',
    ],
  ])('is an error if %s', async (_, program, message) => {
    const exec = await execWith(program);
    await expect(exec(pod, ['cat'])).rejects.toMatchObject({ code: 'cluster-failed', message });
  });

  it('may send its status in parts, also inside a character', async () => {
    const exec = await execWith((socket, send) => {
      const status = Buffer.from('{"status":"Failure","message":"größer"}');
      for (const part of [status.subarray(0, 35), status.subarray(35)])
        socket.write(Buffer.concat([Buffer.of(0x82, part.length + 1, 3), part]));
      send(3, '');
    });
    await expect(exec(pod, ['cat'])).rejects.toThrow('cannot run cat in Pod cloud/base-0: größer');
  });

  it('is cancelled in the middle of its output', async () => {
    const stop = new AbortController();
    const exec = await execWith((_, send) => send(1, 'half'));
    const output = (): void => stop.abort();
    await expect(exec(pod, ['cat'], { output, signal: stop.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
  });

  it('is refused with the words of the server', async () => {
    const exec = await execWith(() => undefined);
    server!.removeAllListeners('upgrade');
    await expect(exec(pod, ['cat'])).rejects.toMatchObject({
      code: 'cluster-denied',
      message: expect.stringContaining('pods/exec is forbidden'),
    });
  });
});

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { CcpError, isRecord, messageOf } from '#core';
import type { ExecStreams, PodExec } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { clientFrame, FRAME, serverFrames, type Frame } from './web-socket.ts';

/** Channels of `v4.channel.k8s.io`: the first byte of each message. */
const CHANNEL = { input: 0, output: 1, errors: 2, status: 3 } as const;
const MOST_ERROR_TEXT = 4096;
const MOST_STATUS = 64 * 1024;
const PART = 256 * 1024;

/** See `PodExec`. Nothing is retried: a program may have run. */
export function podExec(server: Server): PodExec {
  return async ({ namespace, name }, command, streams = {}) => {
    const query = new URLSearchParams([
      ...command.map((word): [string, string] => ['command', word]),
      ...(streams.input === undefined ? [] : [['stdin', 'true'] as [string, string]]),
      ['stdout', 'true'],
      ['stderr', 'true'],
    ]);
    const signals = [server.signal, streams.signal].filter((each) => each !== undefined);
    const signal = AbortSignal.any(signals);
    const request: ApiRequest = {
      method: 'GET',
      path: `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/exec?${query.toString()}`,
      accept: '*/*',
      doing: `run ${command[0]} in Pod ${namespace}/${name}`,
    };
    const upgraded = await server.transport.upgrade(
      request,
      await server.credentials.get(),
      {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
        'sec-websocket-protocol': 'v4.channel.k8s.io',
      },
      signal,
    );
    if (!('socket' in upgraded)) throw server.statusError(readStatus(upgraded), request);
    const { socket, first } = upgraded;
    if (first.length > 0) socket.unshift(first);
    // Input to a program that has ended.
    socket.on('error', () => undefined);
    const end = (): void => void socket.destroy();
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    try {
      const [{ errors, status }] = await Promise.all([
        readOutput(socket, streams).finally(() => socket.destroy()),
        sendInput(socket, streams),
      ]);
      if (status === 'Success') return;
      throw failure(request, errors.trim() || status || 'the connection ended early');
    } catch (thrown) {
      if (signal.aborted)
        throw new CcpError({ code: 'cancelled', message: `cancelled: ${request.doing}` });
      throw thrown instanceof CcpError ? thrown : failure(request, messageOf(thrown), thrown);
    } finally {
      signal.removeEventListener('abort', end);
      socket.destroy();
    }
  };
}

function failure({ doing }: ApiRequest, why: string, cause?: unknown): CcpError {
  return new CcpError({
    code: 'cluster-failed',
    message: `cannot ${doing}: ${why}`,
    hint: 'run the command again',
    cause,
  });
}

/** Until the server closes the connection. */
async function readOutput(
  socket: Duplex,
  { output }: ExecStreams,
): Promise<{ readonly errors: string; readonly status: string }> {
  let [errors, answer, status, channel] = [Buffer.alloc(0), Buffer.alloc(0), '', 0];
  for await (const { code, payload } of serverFrames(socket as AsyncIterable<Buffer>)) {
    if (code === FRAME.close) break;
    if (code === FRAME.ping) socket.write(clientFrame(FRAME.pong, payload));
    const body = bodyOf({ code, payload });
    if (body === undefined) continue;
    if (code === FRAME.binary) channel = payload[0] ?? channel;
    if (channel === CHANNEL.output) await output?.(body);
    else if (channel === CHANNEL.errors)
      errors = Buffer.concat([errors, body]).subarray(-MOST_ERROR_TEXT);
    else if (channel === CHANNEL.status) {
      // The server may send it in parts.
      answer = Buffer.concat([answer, body]);
      if (answer.length > MOST_STATUS) throw new Error('the server sent an invalid status');
      status = statusOf(answer);
    }
    // Its program does not read on.
    if (status !== '') break;
  }
  return { errors: errors.toString(), status };
}

/** `Success`, why the program failed, or nothing while a part of the status is missing. */
function statusOf(answer: Buffer): string {
  try {
    const found: unknown = JSON.parse(answer.toString());
    if (!isRecord(found)) return 'it failed';
    if (found['status'] === 'Success') return 'Success';
    return typeof found['message'] === 'string' ? found['message'] : 'it failed';
  } catch {
    return '';
  }
}

/** The content of a message, without its channel. */
function bodyOf({ code, payload }: Frame): Buffer | undefined {
  if (code === FRAME.binary) return payload.subarray(1);
  return code === FRAME.more ? payload : undefined;
}

async function sendInput(socket: Duplex, { input }: ExecStreams): Promise<void> {
  if (input === undefined) return;
  // One listener for all parts.
  const closed = once(socket, 'close').catch(() => undefined);
  for await (const part of input)
    for (let at = 0; at < part.length; at += PART) {
      if (socket.destroyed) return;
      const body = Buffer.concat([Buffer.of(CHANNEL.input), part.subarray(at, at + PART)]);
      if (!socket.write(clientFrame(FRAME.binary, body)))
        await Promise.race([once(socket, 'drain'), closed]);
    }
}

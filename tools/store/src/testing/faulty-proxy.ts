import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ImageStore } from '#ports';

/** Answers or breaks a request; if it returns undefined, the request is forwarded. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface FaultyProxy {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  /** `METHOD PATH` of each request, in order. */
  readonly seen: string[];
  fault: Fault;
  /** A header that is removed from each forwarded response. */
  strip: string;
  close(): Promise<void>;
}

/**
 * A proxy in front of a store's registry that breaks requests according to `fault`. It adds the
 * store's login itself, so that tests choose the authentication of clients.
 */
export async function faultyProxy({
  address: target,
  login: { user, password },
}: Pick<ImageStore, 'address' | 'login'>): Promise<FaultyProxy> {
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = createServer((request, response) => {
    proxy.seen.push(`${request.method} ${request.url}`);
    if (proxy.fault(request, response) !== undefined) return void request.resume();
    const onward = send(
      `http://${target}${request.url}`,
      { method: request.method, headers: { ...request.headers, host: target, authorization } },
      (answer) => {
        const headers = Object.entries(answer.headers).filter(([name]) => name !== proxy.strip);
        response.writeHead(answer.statusCode ?? 500, Object.fromEntries(headers));
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const proxy: FaultyProxy = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    fault: () => undefined,
    strip: '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

/** Answers the first `times` requests that match `matches` with a status, headers and text. */
export function answerFirst(
  times: number,
  matches: RegExp,
  status: number,
  headers: Readonly<Record<string, string>> = {},
  text = '',
): Fault {
  let left = times;
  return (request, response) => {
    if (left === 0 || !matches.test(`${request.method} ${request.url}`)) return undefined;
    left -= 1;
    return response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : text);
  };
}

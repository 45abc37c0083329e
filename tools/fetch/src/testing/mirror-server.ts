import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Returns `true` if it answered the request; otherwise the server sends its file. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface MirrorServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** `METHOD PATH` of every request, with the range if one was sent. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Serves bytes by path, with ranges; `handler` is called first. */
export async function mirrorServer(
  files: Readonly<Record<string, string | Buffer>>,
  handler: Handler = () => false,
): Promise<MirrorServer> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    requests.push(
      [request.method, request.url, ...(range === undefined ? [] : [`from ${range}`])].join(' '),
    );
    if (handler(request, response)) return;
    const file = files[decodeURIComponent(request.url ?? '')];
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    const bytes = Buffer.from(file);
    if (range === undefined) response.end(bytes);
    else
      response
        .writeHead(206, { 'content-range': `bytes ${range}-${bytes.length - 1}/${bytes.length}` })
        .end(bytes.subarray(Number(range)));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

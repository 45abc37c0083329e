import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from '#ports';

/** What a backend tells of a request. */
export interface Told {
  readonly host: string;
  readonly scheme: string;
  readonly path: string;
  /** Bytes of the body, and their SHA-256. */
  readonly size: number;
  readonly sha256: string;
}

/** A server on 127.0.0.1 that stands for the pods of every app. */
export interface Backend {
  readonly port: number;
  close(): Promise<void>;
}

/** Answers with what it was told; an upgrade by giving back every byte. */
export async function startBackend(): Promise<Backend> {
  const server = createServer(async (request, answer) => {
    answer.setHeader('content-type', 'application/json').end(JSON.stringify(await read(request)));
  });
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => socket.destroy());
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      `Upgrade: ${request.headers.upgrade}`,
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${acceptOf(request.headers['sec-websocket-key'] ?? '')}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What a server answers to a key of RFC 6455, section 4.2.2. */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/**
 * Says that the backend is behind a Service, at every port of it. No Service may have an endpoint on 127.0.0.1; as a name, which is
 * looked up by who connects, it passes.
 */
export function endpointsOf({ metadata, spec }: KubernetesObject, { port }: Backend): KubernetesObject {
  const { ports } = spec as { readonly ports: readonly { readonly name: string }[] };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: `${metadata.name}-test`, namespace: metadata.namespace!, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: 'FQDN',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true, serving: true } }],
    ports: ports.map(({ name }) => ({ name, port, protocol: 'TCP' })),
  };
}

async function read(request: IncomingMessage): Promise<Told> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { host: request.headers.host ?? '', scheme: String(request.headers['x-forwarded-proto']), path: request.url ?? '', size, sha256: hash.digest('hex') };
}

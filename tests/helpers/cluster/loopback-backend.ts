import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubernetesObject } from '#ports';

/** A backend's description of a request. */
export interface ReceivedRequest {
  readonly host: string;
  readonly scheme: string;
  readonly path: string;
  /** Bytes of the body, and their SHA-256. */
  readonly size: number;
  readonly sha256: string;
}

/** A server on 127.0.0.1 in place of the pods of every app. */
export interface Backend {
  readonly port: number;
  close(): Promise<void>;
}

/** Responds with a description of the request; on an upgrade it echoes all data. */
export async function startBackend(): Promise<Backend> {
  const server = createServer((request, answer) => {
    read(request).then(
      (body) => answer.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      (error: Error) => answer.destroy(error),
    );
  });
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => socket.destroy());
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      `Upgrade: ${request.headers.upgrade}`,
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${websocketAccept(request.headers['sec-websocket-key'] ?? '')}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The Sec-WebSocket-Accept value of a key (RFC 6455, section 4.2.2). */
export function websocketAccept(key: string): string {
  return createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
}

/**
 * Endpoints that connect every port of a Service to the backend. The API rejects the IP address
 * 127.0.0.1 in endpoints, but accepts it as a name, which the client resolves.
 */
export function backendEndpoints(
  { metadata, spec }: KubernetesObject,
  { port }: Backend,
): KubernetesObject {
  const { ports } = spec as { readonly ports: readonly { readonly name: string }[] };
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${metadata.name}-test`,
      namespace: metadata.namespace!,
      labels: { 'kubernetes.io/service-name': metadata.name },
    },
    addressType: 'FQDN',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true, serving: true } }],
    ports: ports.map(({ name }) => ({ name, port, protocol: 'TCP' })),
  };
}

async function read(request: IncomingMessage): Promise<ReceivedRequest> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return {
    host: request.headers.host ?? '',
    scheme: String(request.headers['x-forwarded-proto']),
    path: request.url ?? '',
    size,
    sha256: hash.digest('hex'),
  };
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CcpError, codeOf, messageOf } from '#core';
import type { RegistryLogin } from '#ports';
import { blobUploads } from './blob-uploads.ts';
import { boundConnections } from './bound-connections.ts';
import { handleRequest } from './handle-request.ts';
import { hasLogin, requireOwnHost } from './registry-access.ts';
import { RegistryFault, sendFault } from './registry-fault.ts';
import { REGISTRY_LIMITS, type RegistryLimits } from './registry-limits.ts';
import type { RegistryStorage } from './registry-storage.ts';
import { requestedRepository } from './route.ts';

/** A running registry. */
export interface RegistryServer {
  readonly host: string;
  readonly port: number;
  /** Stops the server and closes open connections. */
  close(): Promise<void>;
}

export interface ServeRegistryOptions {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** The login for pushes; without it, the registry is read-only. */
  readonly login?: RegistryLogin;
  /** Called with the repository when a push failed because the disk is full. */
  readonly onFull?: (repository: string, fault: CcpError) => void;
  readonly limits?: Partial<RegistryLimits>;
}

/** Limits on reading the rest of a body after a request without the login was refused. */
const REFUSED_BYTES = 1 << 20;
const REFUSED_MS = 5000;

/** Serves `storage` by plain HTTP. No request can crash the process. Throws `port-taken`. */
export async function serveRegistry(
  storage: RegistryStorage,
  { host, port, login, onFull, limits: changed }: ServeRegistryOptions,
): Promise<RegistryServer> {
  const limits = { ...REGISTRY_LIMITS, ...changed };
  const writer =
    storage.inbox === undefined || login === undefined
      ? undefined
      : { inbox: storage.inbox, login, uploads: blobUploads(storage.inbox, limits) };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      requireOwnHost(request, host);
      await handleRequest(storage, writer, request, response);
    } catch (thrown) {
      if (isFull(thrown)) onFull?.(requestedRepository(request.url), thrown);
      const fault = faultOf(thrown);
      if (response.headersSent || request.errored !== null) response.destroy();
      else if (request.complete) sendFault(response, fault);
      else await refuseBody(request, response, fault, isFull(thrown));
    }
  };
  const server = createServer({
    requestTimeout: limits.requestMs,
    headersTimeout: limits.headersMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: 60_000,
  });
  boundConnections(
    server,
    limits.connections,
    (request) => login !== undefined && hasLogin(request, login),
  );
  server.on('request', (request, response) => {
    // If a client disconnects, its response fails later, when no code awaits it.
    response.on('error', () => undefined);
    request.on('error', () => undefined);
    if (request.socket.destroyed) return;
    answer(request, response).catch(() => response.destroy());
  });
  server.setTimeout(limits.idleMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(codeOf(cause) === 'EADDRINUSE' ? portTaken(host, port, cause) : cause),
    );
    server.listen(port, host, resolve);
  });
  // Emitted for example when the limit of open files is reached.
  server.on('error', () => undefined);
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * Reads the rest of the body, then sends a fault: clients read the response only after sending the
 * body. For clients without the login, size and time are limited. Only a client with the login can
 * find the disk full.
 */
async function refuseBody(
  request: IncomingMessage,
  response: ServerResponse,
  fault: RegistryFault,
  hasFullDisk: boolean,
): Promise<void> {
  const isUnauthorized = !hasFullDisk && [401, 403].includes(fault.status);
  const timer = isUnauthorized ? setTimeout(() => request.destroy(), REFUSED_MS) : undefined;
  try {
    let size = 0;
    for await (const chunk of request.iterator({ destroyOnReturn: false }))
      if (isUnauthorized && (size += (chunk as Buffer).length) > REFUSED_BYTES)
        return void request.destroy();
    sendFault(response, fault);
  } finally {
    clearTimeout(timer);
  }
}

/** A full store gets status 403: engines would retry a server error for minutes. */
function faultOf(thrown: unknown): RegistryFault {
  if (thrown instanceof RegistryFault) return thrown;
  if (isFull(thrown)) return new RegistryFault(403, 'DENIED', thrown.message);
  if (codeOf(thrown) === 'store-corrupt')
    return new RegistryFault(404, 'MANIFEST_UNKNOWN', messageOf(thrown));
  return new RegistryFault(500, 'UNKNOWN', messageOf(thrown));
}

function isFull(thrown: unknown): thrown is CcpError {
  return thrown instanceof CcpError && thrown.code === 'store-full';
}

function portTaken(host: string, port: number, cause: unknown): CcpError {
  return new CcpError({
    code: 'port-taken',
    message: `the registry cannot listen on ${host}:${port}: the port is in use`,
    hint: 'choose another port, or omit the port to use a free one',
    cause,
  });
}

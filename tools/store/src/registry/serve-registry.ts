import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CcpError, codeOf, messageOf } from '#core';
import { blobUploads } from './blob-uploads.ts';
import { handleRequest } from './handle-request.ts';
import { RegistryFault, sendFault } from './registry-fault.ts';
import type { RegistryStorage } from './registry-storage.ts';
import { parseRoute } from './route.ts';

/** A registry that listens. */
export interface RegistryServer {
  readonly host: string;
  readonly port: number;
  /** Ends at once, open connections too. */
  close(): Promise<void>;
}

/**
 * Serves `storage` by plain HTTP; port 0 takes a free one. `onFull` hears of a push that a full disk ended, by repository. Raises
 * `port-taken`.
 */
export async function serveRegistry(
  storage: RegistryStorage,
  host: string,
  port: number,
  onFull?: (repository: string, fault: CcpError) => void,
): Promise<RegistryServer> {
  const uploads = storage.inbox === undefined ? undefined : blobUploads(storage.inbox);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      await handleRequest(storage, uploads, request, response);
    } catch (thrown) {
      if (isFull(thrown)) onFull?.(repositoryOf(request), thrown);
      if (response.headersSent || request.errored !== null) return void response.destroy();
      const answerNow = (): void => sendFault(response, faultOf(thrown));
      if (request.complete) return answerNow();
      request.once('end', answerNow).resume();
    }
  };
  const server = createServer({ requestTimeout: 0, keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(codeOf(cause) === 'EADDRINUSE' ? portTaken(host, port, cause) : cause));
    server.listen(port, host, resolve);
  });
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

/** A full store is answered as a refusal: an engine would try a server's fault again for minutes. */
function faultOf(thrown: unknown): RegistryFault {
  if (thrown instanceof RegistryFault) return thrown;
  if (isFull(thrown)) return new RegistryFault(403, 'DENIED', thrown.message);
  return new RegistryFault(500, 'UNKNOWN', messageOf(thrown));
}

function isFull(thrown: unknown): thrown is CcpError {
  return thrown instanceof CcpError && thrown.code === 'store-full';
}

/** The repository of a request that was understood. */
function repositoryOf({ url = '' }: IncomingMessage): string {
  const route = parseRoute(new URL(url, 'http://registry').pathname);
  return 'repository' in route ? route.repository : '';
}

function portTaken(host: string, port: number, cause: unknown): CcpError {
  return new CcpError({
    code: 'port-taken',
    message: `the registry cannot listen on ${host}:${port}: another program does`,
    hint: 'choose another port, or leave it out to get a free one',
    cause,
  });
}

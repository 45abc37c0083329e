import { createServer } from 'node:http';
import { CcpError, messageOf } from '#core';

/** A scrape needs milliseconds; connections of clients that send nothing end soon. */
const LIMITS = { headersTimeout: 5000, requestTimeout: 5000, connectionsCheckingInterval: 1000 };

/**
 * Serves `/metrics` and `/healthz` on all addresses; resolves with the port and a function that
 * ends it. Throws `port-taken`.
 */
export async function serveMetrics(
  port: number,
  text: () => string,
): Promise<{ readonly port: number; readonly close: () => void }> {
  const server = createServer(LIMITS, (request, response) => {
    const path = request.url?.replace(/\?.*$/, '');
    const body = path === '/metrics' ? text() : path === '/healthz' ? 'ok\n' : undefined;
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/plain; version=0.0.4' })
      .end(body ?? 'not found\n');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (thrown) =>
      reject(
        new CcpError({
          code: 'port-taken',
          message: `cannot serve metrics on port ${port}: ${messageOf(thrown)}`,
          hint: 'choose another port with --metrics',
        }),
      ),
    );
    server.listen(port, resolve);
  });
  return {
    port: (server.address() as { readonly port: number }).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

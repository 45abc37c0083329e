import { request } from 'node:http';
import { CcpError } from '#core';
import type { Endpoint } from './endpoint.ts';
import { unreachableError } from './engine-error.ts';

/** Checks that an engine responds. Throws `engine-unreachable`. */
export async function pingEngine(endpoint: Endpoint, timeoutMs: number): Promise<void> {
  await readEngine(endpoint, '/_ping', timeoutMs);
}

/**
 * The text of the response to `GET path`. Does not load dockerode. Throws `engine-unreachable`
 * unless the status is 200.
 */
export function readEngine(endpoint: Endpoint, path: string, timeoutMs: number): Promise<string> {
  const at =
    endpoint.kind === 'unix'
      ? { socketPath: endpoint.path }
      : { host: endpoint.host, port: endpoint.port };
  return new Promise((resolve, reject: (error: CcpError) => void) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (thrown: Error): void =>
      reject(
        unreachableError(
          endpoint.name,
          signal.aborted ? new Error(`no response within ${timeoutMs} ms`) : thrown,
        ),
      );
    const sent = request({ ...at, path, signal, agent: false }, (response) => {
      if (response.statusCode !== 200)
        fail(new Error(`GET ${path} returned status ${response.statusCode}`));
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
      response.on('error', fail);
    });
    sent.on('error', fail);
    sent.end();
  });
}

import { request } from 'node:http';
import { CcpError } from '#core';
import type { Endpoint } from './endpoint.ts';
import { unreachableError } from './engine-error.ts';

/** Asks an engine whether it is there. Raises `engine-unreachable`. */
export async function pingEngine(endpoint: Endpoint, timeoutMs: number): Promise<void> {
  await readEngine(endpoint, '/_ping', timeoutMs);
}

/** The answer's text to `GET path`, without loading a client. Raises `engine-unreachable` for anything but status 200. */
export function readEngine(endpoint: Endpoint, path: string, timeoutMs: number): Promise<string> {
  const at = endpoint.kind === 'unix' ? { socketPath: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  return new Promise((resolve, reject: (error: CcpError) => void) => {
    const signal = AbortSignal.timeout(timeoutMs);
    const fail = (thrown: Error): void => reject(unreachableError(endpoint.name, signal.aborted ? new Error(`no answer within ${timeoutMs} ms`) : thrown));
    const asking = request({ ...at, path, signal, agent: false }, (answer) => {
      if (answer.statusCode !== 200) fail(new Error(`it answered ${answer.statusCode} to GET ${path}`));
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('end', () => resolve(text));
      answer.on('error', fail);
    });
    asking.on('error', fail);
    asking.end();
  });
}

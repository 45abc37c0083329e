import { CcpError } from '#core';

/** Address of an engine; `name` is the text from the configuration. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly name: string; readonly path: string }
  | { readonly kind: 'tcp'; readonly name: string; readonly host: string; readonly port: number };

/** Folder with the sockets of private engines. */
export const PRIVATE_RUN = '/run/ccp-engine';

/** Whether an endpoint name belongs to a private engine. */
export function isPrivate(name: string): boolean {
  return name.startsWith(`unix://${PRIVATE_RUN}/`);
}

/** The socket folder of a private engine, from its endpoint name; undefined for other engines. */
export function privateRun(name: string): string | undefined {
  return isPrivate(name) ? name.slice('unix://'.length, name.lastIndexOf('/')) : undefined;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Parses `unix:///path` or `tcp://127.0.0.1:port` (as in DOCKER_HOST; default port 2375). Throws
 * `endpoint-invalid`, also for addresses of other machines: the engine must reach the registry on
 * this machine's loopback address.
 */
export function parseEndpoint(name: string): Endpoint {
  if (name.startsWith('unix:///'))
    return { kind: 'unix', name, path: name.slice('unix://'.length) };
  const url = name.startsWith('tcp://') ? URL.parse(name.replace('tcp:', 'http:')) : null;
  if (
    url !== null &&
    url.hostname !== '' &&
    url.username === '' &&
    url.pathname === '/' &&
    url.search === ''
  ) {
    if (!LOOPBACK.test(url.hostname)) throw remoteEngineError(name);
    return {
      kind: 'tcp',
      name,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port || (name.endsWith(':80') ? 80 : 2375)),
    };
  }
  throw new CcpError({
    code: 'endpoint-invalid',
    message: `"${name}" is not a valid engine endpoint`,
    hint: 'use a socket like unix:///var/run/docker.sock or a local address like tcp://127.0.0.1:2375',
  });
}

/** Throws `endpoint-invalid` for the first invalid name. Does not connect to any engine. */
export function checkEndpoints(names: readonly string[]): void {
  for (const name of names) parseEndpoint(name);
}

function remoteEngineError(name: string): CcpError {
  return new CcpError({
    code: 'endpoint-invalid',
    message: `the engine ${name} is on another machine and cannot reach this machine's registry on 127.0.0.1`,
    hint: 'use an engine on this machine, or run ccp on the other machine',
  });
}

import { CcpError } from '#core';

/** Where an engine listens; `name` is the text a person wrote. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly name: string; readonly path: string }
  | { readonly kind: 'tcp'; readonly name: string; readonly host: string; readonly port: number };

/** Folder of the private engines' sockets; an endpoint below it is one that we started. */
export const PRIVATE_RUN = '/run/ccp-engine';

/** True for the endpoint of a private engine, by its name. */
export function isPrivate(name: string): boolean {
  return name.startsWith(`unix://${PRIVATE_RUN}/`);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads `unix:///path` or `tcp://127.0.0.1:port` (as in DOCKER_HOST; 2375 where no port is named). Raises `endpoint-invalid`, also
 * for another machine's address: an engine pushes to and pulls from a registry on the loopback of this one.
 */
export function parseEndpoint(name: string): Endpoint {
  if (name.startsWith('unix:///')) return { kind: 'unix', name, path: name.slice('unix://'.length) };
  const url = name.startsWith('tcp://') ? URL.parse(name.replace('tcp:', 'http:')) : null;
  if (url !== null && url.hostname !== '' && url.username === '' && url.pathname === '/' && url.search === '') {
    if (!LOOPBACK.test(url.hostname)) throw elsewhere(name);
    return { kind: 'tcp', name, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (name.endsWith(':80') ? 80 : 2375)) };
  }
  throw new CcpError({
    code: 'endpoint-invalid',
    message: `"${name}" is not the endpoint of an engine`,
    hint: 'name a socket like unix:///var/run/docker.sock or an address of this machine like tcp://127.0.0.1:2375',
  });
}

/** Raises `endpoint-invalid` for the first that `parseEndpoint` refuses; asks none of them. */
export function checkEndpoints(names: readonly string[]): void {
  for (const name of names) parseEndpoint(name);
}

function elsewhere(name: string): CcpError {
  return new CcpError({
    code: 'endpoint-invalid',
    message: `the engine ${name} is on another machine, where it cannot reach the registry of this run on 127.0.0.1`,
    hint: 'name an engine of this machine, or run ccp on the other one',
  });
}

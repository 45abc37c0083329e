import { CcpError } from '#core';

/** Where an engine listens; `name` is the text a person wrote. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly name: string; readonly path: string }
  | { readonly kind: 'tcp'; readonly name: string; readonly host: string; readonly port: number };

/** Reads `unix:///path` or `tcp://host:port` (as in DOCKER_HOST; 2375 where no port is named). Raises `engine-invalid`. */
export function parseEndpoint(name: string): Endpoint {
  if (name.startsWith('unix:///')) return { kind: 'unix', name, path: name.slice('unix://'.length) };
  const url = name.startsWith('tcp://') ? URL.parse(name.replace('tcp:', 'http:')) : null;
  if (url !== null && url.hostname !== '' && url.username === '' && url.pathname === '/' && url.search === '') {
    return { kind: 'tcp', name, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || (name.endsWith(':80') ? 80 : 2375)) };
  }
  throw new CcpError({
    code: 'engine-invalid',
    message: `"${name}" is not the endpoint of an engine`,
    hint: 'name a socket like unix:///var/run/docker.sock or an address like tcp://10.0.0.5:2375',
  });
}

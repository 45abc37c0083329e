import { omitUndefined } from '#core';
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { RegistryLogin } from '#ports';

/** A request to a Docker Engine for which dockerode has no suitable method. */
export interface DockerRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Request body. */
  readonly body?: Readable;
  readonly signal?: AbortSignal | undefined;
  /** Credentials that the engine sends to the registry. */
  readonly login?: RegistryLogin | undefined;
}

/**
 * The response as a stream. Throws dockerode's errors; they have `statusCode` if the engine
 * responded.
 */
export async function requestStream(docker: Docker, request: DockerRequest): Promise<Readable> {
  return (await dial(docker, request, true)) as Readable;
}

/** The parsed JSON response. Throws like `requestStream`. */
export function requestJson(docker: Docker, request: DockerRequest): Promise<unknown> {
  return dial(docker, request, false);
}

function dial(
  docker: Docker,
  { method, path, query = {}, body, signal, login }: DockerRequest,
  isStream: boolean,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      {
        path: `${path}?`,
        method,
        options: { _query: query, _body: {} },
        isStream,
        authconfig: authConfig(login),
        statusCodes: { 200: true, 204: true },
        ...omitUndefined({ file: body }),
        ...omitUndefined({ abortSignal: signal }),
      },
      (error, response) => (error === null ? resolve(response) : reject(error)),
    );
  });
}

/** The engine requires the header even if it is empty. */
function authConfig(login: RegistryLogin | undefined): object {
  return login === undefined ? {} : { username: login.user, password: login.password };
}

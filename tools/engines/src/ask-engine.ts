import type { Readable } from 'node:stream';
import type Docker from 'dockerode';

/** A request that dockerode has no method for, or whose method leaves something out. */
export interface EngineRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as the body; none where absent. */
  readonly body?: Readable;
  readonly signal?: AbortSignal | undefined;
}

/** The answer as it comes. Raises what dockerode raises: with `statusCode` where the engine answered. */
export async function askStream(docker: Docker, request: EngineRequest): Promise<Readable> {
  return (await dial(docker, request, true)) as Readable;
}

/** The answer's JSON. Raises as `askStream`. */
export function askValue(docker: Docker, request: EngineRequest): Promise<unknown> {
  return dial(docker, request, false);
}

function dial(docker: Docker, { method, path, query = {}, body, signal }: EngineRequest, isStream: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    docker.modem.dial(
      {
        path: `${path}?`,
        method,
        options: { _query: query, _body: {} },
        isStream,
        statusCodes: { 200: true, 204: true },
        ...(body === undefined ? {} : { file: body }),
        ...(signal === undefined ? {} : { abortSignal: signal }),
      },
      (error, answer) => (error === null ? resolve(answer) : reject(error)),
    );
  });
}

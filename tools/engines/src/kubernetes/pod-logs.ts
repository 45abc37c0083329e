import type { LogOptions } from '#ports';
import { withQuery, type ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';

const MOST_BYTES = 1024 * 1024;
const NOT_YET =
  /previous terminated container .* not found|is waiting to start|is not available|ContainerCreating|PodInitializing/;

/** See `Cluster.logs`. */
export async function podLogs(
  server: Server,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { container, tail = 100, previous = false }: LogOptions,
): Promise<string | undefined> {
  const path = withQuery(
    `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log`,
    {
      container,
      tailLines: tail,
      previous,
      limitBytes: MOST_BYTES,
    },
  );
  const request: ApiRequest = {
    method: 'GET',
    path,
    accept: 'text/plain, application/json',
    doing: `read the log of Pod ${namespace}/${name}`,
  };
  const { answer } = await server.send(request);
  if (answer.status < 300) return answer.text;
  const status = readStatus(answer);
  if (status.code === 404 || (status.code === 400 && NOT_YET.test(status.message)))
    return undefined;
  throw server.statusError(status, request);
}

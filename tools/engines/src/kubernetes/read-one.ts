import type { ClusterKind, KindRef, KubernetesObject, LiveObject, ObjectRef } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { objectPath } from './discovery.ts';
import { readJson, readObject } from './live-object.ts';

/** One object; `undefined` if it does not exist. */
export async function readOne(
  server: Server,
  kind: ClusterKind,
  at: Pick<ObjectRef, 'name' | 'namespace'>,
): Promise<LiveObject | undefined> {
  const request: ApiRequest = {
    method: 'GET',
    path: objectPath(kind, at),
    doing: `read ${describeRef({ ...kind, ...at })}`,
  };
  const { answer } = await server.send(request);
  if (answer.status === 404) return undefined;
  if (answer.status >= 400) throw server.statusError(readStatus(answer), request);
  const call = { server: server.transport.server, doing: request.doing };
  return readObject(readJson(answer, call), kind, call);
}

/** `Deployment web/x`, for messages. */
export function describeRef(object: ObjectRef | KubernetesObject): string {
  const { kind }: KindRef = object;
  const { name, namespace } = ('metadata' in object ? object.metadata : object) as Pick<
    ObjectRef,
    'name' | 'namespace'
  >;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

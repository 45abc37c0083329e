import type { ClusterKind, KindRef, KubernetesObject, LiveObject, ObjectRef } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './ask-server.ts';
import { pathOf } from './discovery.ts';
import { readJson, readObject } from './live-object.ts';

/** One object, or `undefined` where it does not exist. */
export async function readOne(server: Server, kind: ClusterKind, at: Pick<ObjectRef, 'name' | 'namespace'>): Promise<LiveObject | undefined> {
  const request: ApiRequest = { method: 'GET', path: pathOf(kind, at), doing: `read ${describeRef({ ...kind, ...at })}` };
  const { answer } = await server.ask(request);
  if (answer.status === 404) return undefined;
  if (answer.status >= 400) throw server.refused(readStatus(answer), request);
  const call = { server: server.transport.server, doing: request.doing };
  return readObject(readJson(answer, call), kind, call);
}

/** `Deployment web/x`, for messages. */
export function describeRef(what: ObjectRef | KubernetesObject): string {
  const { kind }: KindRef = what;
  const { name, namespace } = ('metadata' in what ? what.metadata : what) as Pick<ObjectRef, 'name' | 'namespace'>;
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

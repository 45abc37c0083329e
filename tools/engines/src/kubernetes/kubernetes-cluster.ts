import { omitUndefined } from '#core';
import type { Cluster, ClusterVersion } from '#ports';
import type { ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { unexpectedResponse } from './cluster-error.ts';
import { discovery } from './discovery.ts';
import { listObjects } from './list-objects.ts';
import { readJson } from './live-object.ts';
import { objectEvents } from './object-events.ts';
import { podLogs } from './pod-logs.ts';
import { readOne } from './read-one.ts';
import { watchObjects, type WatchLimits } from './watch-objects.ts';
import { applyObject, createObject, deleteObject, updateObject } from './write-objects.ts';

/** Settings of lists and watches; `pageSize` is in objects. */
export interface ClusterSettings {
  readonly pageSize: number;
  readonly watch: WatchLimits;
}

/** Implements the port `Cluster` with one API server. */
export function kubernetesCluster(
  name: string,
  server: Server,
  { pageSize, watch: limits }: ClusterSettings,
): Cluster {
  const { kinds, find } = discovery(server);
  return {
    name,
    version: () => readVersion(server),
    kinds,
    get: async (ref) => await readOne(server, await find(ref), ref),
    list: async (kind, selection = {}) =>
      await listObjects(server, await find(kind), selection, pageSize),
    watch: async function* (kind, { signal, ...selection } = {}) {
      yield* watchObjects(server, await find(kind), selection, {
        pageSize,
        limits,
        ...omitUndefined({ signal }),
      });
    },
    apply: async (object, options) =>
      await applyObject(server, await find(object), object, options),
    create: async (object, { fieldManager }) =>
      await createObject(server, await find(object), object, fieldManager),
    update: async (object, options) =>
      await updateObject(server, await find(object), object, options),
    delete: async (ref, options = {}) => await deleteObject(server, await find(ref), ref, options),
    logs: async (pod, options = {}) => await podLogs(server, pod, options),
    events: async (ref) => await objectEvents(server, ref, pageSize),
  };
}

async function readVersion(server: Server): Promise<ClusterVersion> {
  const request: ApiRequest = {
    method: 'GET',
    path: '/version',
    doing: 'read the version of the server',
  };
  const { answer } = await server.send(request);
  if (answer.status >= 400) throw server.statusError(readStatus(answer), request);
  const call = { server: server.transport.server, doing: request.doing };
  const { major, minor, gitVersion } = readJson(answer, call);
  const numbers = [major, minor].map((each) => Number.parseInt(String(each), 10));
  if (typeof gitVersion !== 'string' || numbers.some(Number.isNaN))
    throw unexpectedResponse('no version', call);
  return { major: numbers[0] as number, minor: numbers[1] as number, gitVersion };
}

import { isRecord } from '#core';
import type {
  ObjectApplyOptions,
  ApplyOutcome,
  ClusterKind,
  CreateOutcome,
  DeleteOptions,
  DeleteOutcome,
  KubernetesObject,
  LiveObject,
  ObjectRef,
  UpdateOptions,
  UpdateOutcome,
} from '#ports';
import { withQuery, type ApiResponse, type ApiRequest } from './api-request.ts';
import { readConflicts, readInvalid, readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { cleanMessage } from './cluster-error.ts';
import { objectPath } from './discovery.ts';
import { isOwnWrite } from './own-write.ts';
import { readJson, readObject } from './live-object.ts';
import { describeRef, readOne } from './read-one.ts';

const APPLY = 'application/apply-patch+yaml';
const RACES = 5;

/** See `Cluster.apply`. */
export async function applyObject(
  server: Server,
  kind: ClusterKind,
  object: KubernetesObject,
  { fieldManager, force = false, dryRun = false }: ObjectApplyOptions,
): Promise<ApplyOutcome> {
  const path = withQuery(objectPath(kind, object.metadata), {
    fieldManager,
    force,
    fieldValidation: 'Strict',
    dryRun: dryRun ? 'All' : undefined,
  });
  const request: ApiRequest = {
    method: 'PATCH',
    path,
    contentType: APPLY,
    body: object,
    doing: `apply ${describeRef(object)}`,
  };
  for (let race = 1; ; race += 1) {
    const { answer } = await server.send(request);
    if (answer.status < 300)
      return { outcome: 'applied', object: objectIn(server, kind, answer, request) };
    const status = readStatus(answer);
    const conflicts = readConflicts(status);
    if (conflicts.length > 0) return { outcome: 'conflict', conflicts };
    const causes = readInvalid(status);
    if (causes?.some(({ field }) => field === 'metadata.uid') === true) return { outcome: 'stale' };
    if (causes !== undefined)
      return { outcome: 'invalid', message: cleanMessage(status.message), causes };
    if (status.code !== 409) throw server.statusError(status, request);
    if (namesVersion(object)) return { outcome: 'stale' };
    if (race === RACES) throw server.statusError(status, request);
  }
}

/**
 * See `Cluster.create`. An object created by an attempt whose response was lost is reported as
 * created.
 */
export async function createObject(
  server: Server,
  kind: ClusterKind,
  object: KubernetesObject,
  fieldManager: string,
): Promise<CreateOutcome> {
  const path = withQuery(objectPath(kind, { namespace: object.metadata.namespace ?? 'default' }), {
    fieldManager,
    fieldValidation: 'Strict',
  });
  const request: ApiRequest = {
    method: 'POST',
    path,
    body: object,
    doing: `create ${describeRef(object)}`,
  };
  const { answer, mayBeRepeated } = await server.send(request);
  if (answer.status < 300)
    return { outcome: 'created', object: objectIn(server, kind, answer, request) };
  const status = readStatus(answer);
  if (status.code !== 409) throw server.statusError(status, request);
  const live = mayBeRepeated ? await readOne(server, kind, object.metadata) : undefined;
  return live !== undefined && isOwnWrite(live, object, fieldManager)
    ? { outcome: 'created', object: live }
    : { outcome: 'exists' };
}

/** See `Cluster.update`. An update by an attempt whose response was lost is reported as updated. */
export async function updateObject(
  server: Server,
  kind: ClusterKind,
  object: LiveObject,
  { fieldManager, subresource }: UpdateOptions,
): Promise<UpdateOutcome> {
  const inside = subresource === undefined ? '' : `/${subresource}`;
  const path = withQuery(`${objectPath(kind, object.metadata)}${inside}`, {
    fieldManager,
    fieldValidation: 'Strict',
  });
  const request: ApiRequest = {
    method: 'PUT',
    path,
    body: object,
    doing: `update ${describeRef(object)}`,
  };
  const { answer, mayBeRepeated } = await server.send(request);
  if (answer.status < 300)
    return { outcome: 'updated', object: objectIn(server, kind, answer, request) };
  const status = readStatus(answer);
  if (status.code === 404) return { outcome: 'missing' };
  if (status.code !== 409) throw server.statusError(status, request);
  const live = await readOne(server, kind, object.metadata);
  if (live === undefined) return { outcome: 'missing' };
  // `isOwnWrite` does not compare the status.
  return mayBeRepeated && subresource === undefined && isOwnWrite(live, object, fieldManager)
    ? { outcome: 'updated', object: live }
    : { outcome: 'stale' };
}

/** See `Cluster.delete`. */
export async function deleteObject(
  server: Server,
  kind: ClusterKind,
  ref: ObjectRef,
  { propagation = 'background', gracePeriodSeconds, preconditions }: DeleteOptions,
): Promise<DeleteOutcome> {
  const propagationPolicy = {
    background: 'Background',
    foreground: 'Foreground',
    orphan: 'Orphan',
  }[propagation];
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
  };
  const request: ApiRequest = {
    method: 'DELETE',
    path: objectPath(kind, ref),
    body,
    doing: `delete ${describeRef(ref)}`,
  };
  const { answer, mayBeRepeated } = await server.send(request);
  if (answer.status === 404) return { outcome: mayBeRepeated ? 'gone' : 'missing' };
  if (answer.status === 409) return { outcome: 'stale' };
  if (answer.status >= 400) throw server.statusError(readStatus(answer), request);
  const { metadata } = readJson(answer, { server: server.transport.server, doing: request.doing });
  const isDeleting = isRecord(metadata) && metadata['deletionTimestamp'] !== undefined;
  return {
    outcome:
      isDeleting && (await readOne(server, kind, ref))?.metadata.uid === metadata['uid']
        ? 'deleting'
        : 'gone',
  };
}

function objectIn(
  server: Server,
  kind: ClusterKind,
  answer: ApiResponse,
  { doing }: ApiRequest,
): LiveObject {
  const call = { server: server.transport.server, doing };
  return readObject(readJson(answer, call), kind, call);
}

function namesVersion({ metadata }: KubernetesObject): boolean {
  return 'resourceVersion' in metadata || 'uid' in metadata;
}

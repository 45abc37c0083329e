import { isRecord } from '#core';
import type { ClusterKind, LiveObject, ObjectList, Selection } from '#ports';
import { withQuery, type ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import type { Server } from './retrying-server.ts';
import { unexpectedResponse } from './cluster-error.ts';
import { objectPath } from './discovery.ts';
import { readJson, readObject } from './live-object.ts';

const RESTARTS = 3;
const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

type Listed = Selection & { readonly metadataOnly?: boolean };

/**
 * All selected objects of a kind at one resource version. Starts again if that version expires
 * (410).
 */
export async function listObjects(
  server: Server,
  kind: ClusterKind,
  selection: Listed,
  pageSize: number,
): Promise<ObjectList> {
  for (let restart = 0; ; restart += 1) {
    const list = await listPages(
      server,
      kind,
      selection,
      restart < RESTARTS ? pageSize : undefined,
    );
    if (list !== undefined) return list;
  }
}

/** Query parameters of a selection. */
export function queryOf({
  labelSelector,
  fieldSelector,
}: Selection): Readonly<Record<string, string | undefined>> {
  return { labelSelector, fieldSelector };
}

async function listPages(
  server: Server,
  kind: ClusterKind,
  selection: Listed,
  limit: number | undefined,
): Promise<ObjectList | undefined> {
  const items: LiveObject[] = [];
  let page: string | undefined;
  for (;;) {
    const doing = `list ${kind.plural}${selection.namespace === undefined ? '' : ` in ${selection.namespace}`}`;
    const request: ApiRequest = {
      method: 'GET',
      path: withQuery(objectPath(kind, selection), {
        ...queryOf(selection),
        limit,
        continue: page,
      }),
      ...(selection.metadataOnly === true ? { accept: METADATA_ONLY } : {}),
      doing,
    };
    const call = { server: server.transport.server, doing };
    const { answer } = await server.send(request);
    if (answer.status === 410 && page !== undefined) return undefined;
    if (answer.status >= 400) throw server.statusError(readStatus(answer), request);
    const { items: part, metadata } = readJson(answer, call);
    if (
      !Array.isArray(part ?? []) ||
      !isRecord(metadata) ||
      typeof metadata['resourceVersion'] !== 'string'
    )
      throw unexpectedResponse('not a list', call);
    for (const item of (part ?? []) as readonly unknown[])
      items.push(
        readObject(
          selection.metadataOnly === true && isRecord(item) ? { metadata: item['metadata'] } : item,
          kind,
          call,
        ),
      );
    page =
      typeof metadata['continue'] === 'string' && metadata['continue'] !== ''
        ? metadata['continue']
        : undefined;
    if (page === undefined) return { items, resourceVersion: metadata['resourceVersion'] };
  }
}

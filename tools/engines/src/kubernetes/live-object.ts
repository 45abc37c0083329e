import { isRecord } from '#core';
import type { KindRef, LiveObject } from '#ports';
import type { ApiResponse } from './api-request.ts';
import { unexpectedResponse, type ClusterCall } from './cluster-error.ts';

/** The JSON object in a successful response. Throws `cluster-failed` for other responses. */
export function readJson(
  { status, text }: ApiResponse,
  call: ClusterCall,
): Record<string, unknown> {
  if (status < 200 || status > 299) throw unexpectedResponse(`HTTP ${status}`, call);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw unexpectedResponse('not JSON', call);
  }
  if (!isRecord(body)) throw unexpectedResponse('not a JSON object', call);
  return body;
}

/**
 * `value` as an object of a kind; list items have no kind member. Throws `cluster-failed` if
 * invalid.
 */
export function readObject(
  value: unknown,
  { apiVersion, kind }: KindRef,
  call: ClusterCall,
): LiveObject {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(value) || !isRecord(metadata))
    throw unexpectedResponse('not a Kubernetes object', call);
  if ((value['kind'] ?? kind) !== kind || (value['apiVersion'] ?? apiVersion) !== apiVersion)
    throw unexpectedResponse(
      `an object of another kind, ${String(value['kind']).slice(0, 80)}`,
      call,
    );
  const { name, resourceVersion = '', uid = '' } = metadata;
  if (typeof name !== 'string' || typeof resourceVersion !== 'string' || typeof uid !== 'string')
    throw unexpectedResponse('an object without a name', call);
  return {
    ...value,
    apiVersion,
    kind,
    metadata: { ...metadata, name, resourceVersion, uid },
  } as LiveObject;
}

import { isRecord } from '#core';
import type { KindRef, LiveObject } from '#ports';
import type { ApiAnswer } from './api-request.ts';
import { strangeAnswer, type ClusterCall } from './cluster-error.ts';

/** The JSON object that a successful answer holds. Raises `cluster-failed` for anything else. */
export function readJson({ status, text }: ApiAnswer, call: ClusterCall): Record<string, unknown> {
  if (status < 200 || status > 299) throw strangeAnswer(`HTTP ${status}`, call);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw strangeAnswer('no JSON', call);
  }
  if (!isRecord(body)) throw strangeAnswer('no JSON object', call);
  return body;
}

/** `value` as an object of a kind; items of lists do not name their kind. Raises `cluster-failed` where it is none. */
export function readObject(value: unknown, { apiVersion, kind }: KindRef, call: ClusterCall): LiveObject {
  const metadata = isRecord(value) ? value['metadata'] : undefined;
  if (!isRecord(value) || !isRecord(metadata)) throw strangeAnswer('no object', call);
  if ((value['kind'] ?? kind) !== kind || (value['apiVersion'] ?? apiVersion) !== apiVersion)
    throw strangeAnswer(`another kind, ${String(value['kind']).slice(0, 80)}`, call);
  const { name, resourceVersion = '', uid = '' } = metadata;
  if (typeof name !== 'string' || typeof resourceVersion !== 'string' || typeof uid !== 'string') throw strangeAnswer('an object without a name', call);
  return { ...value, apiVersion, kind, metadata: { ...metadata, name, resourceVersion, uid } } as LiveObject;
}

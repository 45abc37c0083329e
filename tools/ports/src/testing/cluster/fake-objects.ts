import { omitUndefined } from '#core';
import type { KindRef, LiveObject, ObjectRef } from '../../cluster.ts';
import type { MutableJson } from './field-path.ts';
import type { OwnedObject } from './server-side-apply.ts';

export function isKind(object: LiveObject, { apiVersion, kind }: KindRef): boolean {
  return object.apiVersion === apiVersion && object.kind === kind;
}

export function isStale(
  { metadata }: { readonly metadata: object },
  live: LiveObject | undefined,
): boolean {
  const asked = metadata as { readonly uid?: string; readonly resourceVersion?: string };
  return (
    (asked.uid !== undefined && asked.uid !== live?.metadata.uid) ||
    (asked.resourceVersion !== undefined &&
      asked.resourceVersion !== live?.metadata.resourceVersion)
  );
}

export function asUpdate(wanted: MutableJson, live: MutableJson): MutableJson {
  const { managedFields: _, ...metadata } = wanted['metadata'] as MutableJson;
  const { deletionTimestamp } = live['metadata'] as MutableJson;
  const status = live['status'];
  return {
    ...wanted,
    metadata: { ...metadata, ...omitUndefined({ deletionTimestamp }) },
    ...omitUndefined({ status }),
  };
}

/** The object that an update of the status stores: the live one with the wanted status. */
export function withStatus({ object, owners }: OwnedObject, { status }: MutableJson): OwnedObject {
  return { object: { ...object, ...omitUndefined({ status }) }, owners };
}

export function liveRefOf({
  apiVersion,
  kind,
  metadata: { name, namespace },
}: LiveObject): ObjectRef {
  return { apiVersion, kind, name, ...omitUndefined({ namespace }) };
}

export function namespaceRef(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Namespace', name };
}

export function describeObject({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return `${apiVersion} ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

export function logKey(
  { namespace, name }: { readonly namespace: string; readonly name: string },
  container: string | undefined,
  previous: boolean,
): string {
  return [namespace, name, container ?? '', previous ? 'previous' : 'now'].join('/');
}

export function lastLines(text: string, tail: number): string {
  const lines = text.split('\n');
  const ends = lines.at(-1) === '' ? 1 : 0;
  return lines.slice(Math.max(0, lines.length - ends - tail)).join('\n');
}

import { omitUndefined } from '#core';
import type { LiveObject, ObjectEvent, ObjectRef } from '../../cluster.ts';

export function isEventOf(
  event: LiveObject,
  { apiVersion, kind, namespace, name }: ObjectRef,
): boolean {
  const about = event['involvedObject'] as Partial<ObjectRef> | undefined;
  return (
    about?.apiVersion === apiVersion &&
    about.kind === kind &&
    about.name === name &&
    about.namespace === namespace
  );
}

export function objectEvent(event: LiveObject): ObjectEvent {
  const { type, reason, message, count, lastTimestamp, involvedObject } = event as LiveObject &
    ObjectEvent & {
      readonly lastTimestamp: string;
      readonly involvedObject: { readonly fieldPath?: string };
    };
  const container = /\{(.+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1];
  return {
    type,
    reason,
    message,
    count,
    lastSeen: lastTimestamp,
    ...omitUndefined({ container }),
  };
}

export function byTime(left: ObjectEvent, right: ObjectEvent): number {
  return left.lastSeen.localeCompare(right.lastSeen);
}

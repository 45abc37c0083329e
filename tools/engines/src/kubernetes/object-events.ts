import { isRecord, omitUndefined } from '#core';
import type { ClusterKind, LiveObject, ObjectEvent, ObjectRef } from '#ports';
import type { Server } from './retrying-server.ts';
import { listObjects } from './list-objects.ts';

const EVENTS: ClusterKind = {
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
  verbs: ['list'],
};

/** See `Cluster.events`. */
export async function objectEvents(
  server: Server,
  { apiVersion, kind, namespace, name }: ObjectRef,
  pageSize: number,
): Promise<readonly ObjectEvent[]> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.apiVersion=${apiVersion},involvedObject.name=${name}`;
  const { items } = await listObjects(
    server,
    EVENTS,
    { fieldSelector, ...omitUndefined({ namespace }) },
    pageSize,
  );
  return items.map(readEvent).sort((left, right) => left.lastSeen.localeCompare(right.lastSeen));
}

function readEvent(event: LiveObject): ObjectEvent {
  const series = isRecord(event['series']) ? event['series'] : {};
  const seen = [
    series['lastObservedTime'],
    event['lastTimestamp'],
    event['eventTime'],
    event['firstTimestamp'],
  ].find((time) => typeof time === 'string');
  const count = [series['count'], event['count']].find((each) => typeof each === 'number');
  const { fieldPath } = isRecord(event['involvedObject']) ? event['involvedObject'] : {};
  const container =
    typeof fieldPath === 'string'
      ? /^spec\.(?:init|ephemeral)?[cC]ontainers\{(.+)\}$/.exec(fieldPath)?.[1]
      : undefined;
  return {
    type: event['type'] === 'Warning' ? 'Warning' : 'Normal',
    reason: textOf(event['reason']),
    message: textOf(event['message']),
    count: (count as number | undefined) ?? 1,
    lastSeen: (seen as string | undefined) ?? event.metadata.creationTimestamp,
    ...omitUndefined({ container }),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

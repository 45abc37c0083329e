import type { LiveObject, ObjectEvent } from '#ports';

/** An event as one line. */
export function eventText({ reason, message, count }: ObjectEvent): string {
  return `${reason}: ${message.trim().replaceAll(/\s+/g, ' ')}${count > 1 ? ` (${count} times)` : ''}`;
}

/**
 * Whether an event is about an earlier object of the same name, for example an earlier pod of a
 * StatefulSet.
 */
export function isOfEarlierObject({ lastSeen }: ObjectEvent, { metadata }: LiveObject): boolean {
  return Date.parse(lastSeen) < Date.parse(metadata.creationTimestamp);
}

import type { LiveObject, ObjectEvent } from '#ports';

/** An event in a line. */
export function eventText({ reason, message, count }: ObjectEvent): string {
  return `${reason}: ${message.trim().replaceAll(/\s+/g, ' ')}${count > 1 ? ` (${count} times)` : ''}`;
}

/** Whether an event is about an object of the same name that was there before, as a pod of a StatefulSet. */
export function isOlder({ lastSeen }: ObjectEvent, { metadata }: LiveObject): boolean {
  return Date.parse(lastSeen) < Date.parse(metadata.creationTimestamp);
}

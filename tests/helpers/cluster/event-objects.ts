import type { LiveObject, WatchEvent } from '#ports';

/** The current objects in an event. */
export function eventObjects(event: WatchEvent): readonly LiveObject[] {
  if (event.type === 'listed') return event.items;
  return event.type === 'changed' ? [event.object] : [];
}

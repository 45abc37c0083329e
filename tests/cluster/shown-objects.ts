import type { LiveObject, WatchEvent } from '#ports';

/** The objects that an event shows as they are now. */
export function shownObjects(event: WatchEvent): readonly LiveObject[] {
  if (event.type === 'listed') return event.items;
  return event.type === 'changed' ? [event.object] : [];
}

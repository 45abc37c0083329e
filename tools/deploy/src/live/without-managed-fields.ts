import type { LiveObject } from '#ports';

/** An object without the server's notes on who owns which field: half of its bytes, and what it is does not depend on them. */
export function withoutManagedFields(object: LiveObject): LiveObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

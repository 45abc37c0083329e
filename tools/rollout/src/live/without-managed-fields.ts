import type { LiveObject } from '#ports';

/** An object without its managed fields, which are half of its bytes. */
export function withoutManagedFields(object: LiveObject): LiveObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

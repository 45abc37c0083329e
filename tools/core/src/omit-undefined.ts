/**
 * Returns the record without `undefined` members, for optional members whose type does not allow
 * `undefined`.
 */
export function omitUndefined<T extends object>(
  record: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

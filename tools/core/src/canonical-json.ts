/** A value that JSON can hold without loss. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * JSON with keys in code-unit order and no white space (the subset of RFC 8785 that our records need: numbers are safe
 * integers). Members that are `undefined` are left out. Raises a `TypeError` for any other number, since floating point has
 * more than one spelling.
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new TypeError(`canonical JSON holds safe integers only, not ${value}`);
    return String(value);
  }
  // One text that grows: lists of parts to join took twice the time, and every fingerprint comes by here.
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
    return `[${text}]`;
  }
  const record = value as { readonly [key: string]: Json | undefined };
  for (const key of sortedKeys(record)) {
    const member = record[key];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** Keys in code-unit order; those that are so already, as most records', are not sorted again. */
function sortedKeys(record: object): readonly string[] {
  const keys = Object.keys(record);
  return keys.every((key, index) => index === 0 || keys[index - 1]! < key) ? keys : keys.sort();
}

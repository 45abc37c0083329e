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
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  const members: string[] = [];
  const record = value as { readonly [key: string]: Json | undefined };
  for (const key of Object.keys(record).sort()) {
    const member = record[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

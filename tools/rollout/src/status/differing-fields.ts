/**
 * The number of fields of `wanted` that `live` lacks or has with another value. Fields of `live`
 * alone are defaults of the server or belong to other managers. The server drops empty values, so
 * they equal an absent field; with `zeros: 'count'`, `false` and `0` do not.
 */
export function differingFields(
  live: unknown,
  wanted: unknown,
  zeros: 'ignore' | 'count' = 'ignore',
): number {
  if (live === wanted) return 0;
  if (live === undefined || live === null) return isEmpty(wanted, zeros) ? 0 : 1;
  if (typeof live !== 'object' || typeof wanted !== 'object' || wanted === null)
    return isEmpty(wanted, zeros) && isEmpty(live, zeros) ? 0 : 1;
  if (Array.isArray(wanted) !== Array.isArray(live)) return 1;
  if (Array.isArray(wanted) && wanted.length !== (live as readonly unknown[]).length) return 1;
  return Object.entries(wanted).reduce(
    (sum, [key, value]) =>
      sum +
      (value === undefined
        ? 0
        : differingFields((live as Readonly<Record<string, unknown>>)[key], value, zeros)),
    0,
  );
}

function isEmpty(value: unknown, zeros: 'ignore' | 'count'): boolean {
  return typeof value === 'object' && value !== null
    ? Object.keys(value).length === 0
    : value === null ||
        value === undefined ||
        value === '' ||
        (zeros === 'ignore' && (value === 0 || value === false));
}

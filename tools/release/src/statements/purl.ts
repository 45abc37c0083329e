/** Encodes a part of a package URL. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':');
}

/** A package URL: `pkg:TYPE/NAMESPACE/NAME@VERSION?QUALIFIERS`; qualifiers are sorted. */
export function purlOf(
  type: string,
  path: string,
  version: string,
  qualifiers: Readonly<Record<string, string>> = {},
): string {
  const name = path.split('/').map(encode).join('/');
  const query = Object.entries(qualifiers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${encode(value).replaceAll('%2F', '/')}`);
  return `pkg:${type}/${name}@${encode(version)}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** The normalised name of a Python project. */
export function pythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

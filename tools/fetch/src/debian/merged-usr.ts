/** Folders of the root that are links into /usr in Debian 12 and later. */
const ALIASES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Aliases that every system needs. */
export const REQUIRED_ALIASES = ['bin', 'lib', 'lib64', 'sbin'];

/** Returns `path` if it is a root folder that is a link in a merged system. */
export function aliasOf(path: string): string | undefined {
  return ALIASES.find((alias) => alias === path);
}

/** A package file's path in a merged system: `bin/sh` becomes `usr/bin/sh`. */
export function mergedPath(path: string): string {
  const alias = ALIASES.find((name) => path.startsWith(`${name}/`));
  return alias === undefined ? path : `usr/${path}`;
}

/** Folders of the root that are links into /usr in Debian 12 and later. */
const ALIASES = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Aliases that every system has. */
export const ALWAYS = ['bin', 'lib', 'lib64', 'sbin'];

/** The link that stands for `path` in a merged system, where it is one of the root's aliases. */
export function aliasOf(path: string): string | undefined {
  return ALIASES.find((alias) => alias === path);
}

/** Where a file of a package lies in a merged system: `bin/sh` is `usr/bin/sh`. */
export function mergedPath(path: string): string {
  const alias = ALIASES.find((name) => path.startsWith(`${name}/`));
  return alias === undefined ? path : `usr/${path}`;
}

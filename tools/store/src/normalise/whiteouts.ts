const WHITEOUT = /^((?:[^/]+\/)*)\.wh\.([^/]+)$/;
const OPAQUE = '.wh..opq';

/**
 * The path that a member with this path removes from lower layers, with everything below it; empty
 * for the root, undefined if the member is no whiteout. See "Whiteouts" in the OCI image layer
 * specification.
 */
export function removedPath(path: string): string | undefined {
  const [, folder, name] = WHITEOUT.exec(path) ?? [];
  if (folder === undefined || name === undefined) return undefined;
  return name === OPAQUE ? folder.slice(0, -1) : `${folder}${name}`;
}

/** True if `path` is `folder` or below it; an empty folder is the root. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`);
}

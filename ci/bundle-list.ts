// Imports of these modules would load all of their exports, for example all streams.
const { accessSync, constants, readFileSync, statSync } = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

/** Folder of bundles, below node_modules. */
export const FOLDER = 'node_modules/.ccp-bundle';
/** Someone who edits the sources need not wait for a bundle after each change. */
const QUIET_MS = 3_600_000;
/** Describes the current bundle; in `FOLDER`. */
export const LIST = 'list.json';

/** A source of the bundle: path below the clone, size, and times of change in milliseconds. */
export type SourceFile = readonly [path: string, size: number, mtimeMs: number, ctimeMs: number];

/** The sources that a bundle was made of. */
export interface BundleList {
  /** The clone: the bundle contains absolute paths of it. */
  readonly root: string;
  /** Name of the bundle's folder; empty if these sources could not be bundled. */
  readonly name: string;
  readonly files: readonly SourceFile[];
}

/** The state of a source now; undefined if it does not exist. */
export function sourceFile(root: string, path: string): SourceFile | undefined {
  const stat = statSync(`${root}/${path}`, { throwIfNoEntry: false });
  return stat === undefined ? undefined : [path, stat.size, stat.mtimeMs, stat.ctimeMs];
}

/** The list of the current bundle; undefined without one, or for the bundle of another clone. */
export function readList(root: string): BundleList | undefined {
  try {
    const list = JSON.parse(readFileSync(join(root, FOLDER, LIST), 'utf8')) as BundleList;
    return list.root === root ? list : undefined;
  } catch {
    return undefined;
  }
}

/** Name of the bundle if no source has changed since it was made, empty or not; else undefined. */
export function bundleOf({ root, name, files }: BundleList): string | undefined {
  const isSame = ([path, size, mtimeMs, ctimeMs]: SourceFile): boolean => {
    const now = sourceFile(root, path);
    return now !== undefined && now[1] === size && now[2] === mtimeMs && now[3] === ctimeMs;
  };
  return files.every(isSame) ? name : undefined;
}

/** True if no source has changed for an hour, and this user can write a new bundle. */
export function isQuiet({ root, files }: BundleList): boolean {
  try {
    accessSync(join(root, FOLDER), constants.W_OK);
  } catch {
    return false;
  }
  const since = Date.now() - QUIET_MS;
  return files.every(([path]) => (sourceFile(root, path)?.[3] ?? 0) < since);
}

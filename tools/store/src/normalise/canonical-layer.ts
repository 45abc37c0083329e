import { SOURCE_DATE_EPOCH } from '#core';
import { layerInvalid, quoteName, type TarMember } from '#formats/tar';
import { isJunk } from './junk.ts';

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** Internal attributes of overlay file systems. */
const PRIVATE_XATTR = /^(?:trusted|user)\.overlay\./;

/**
 * Maximum total size of holes in a layer's sparse files, in bytes; engines write no sparse files.
 */
const MAX_HOLES = 1 << 28;

interface Placed {
  readonly path: string;
  readonly inode: TarMember;
}

/**
 * The members of a layer in canonical form and order. The function is idempotent. Throws
 * `layer-invalid`.
 *
 * - Order: parents before children; among siblings the opaque marker first, then other whiteouts.
 * - Hard links: the first name has the content, the others link to it. All have the extended
 *   attributes: an engine sets the owner for each name, which removes capabilities.
 * - Times: of files at most the epoch, of all other members the epoch.
 * - Junk files are removed.
 */
export function canonicalLayer(entries: readonly TarMember[]): TarMember[] {
  refuseHoles(entries);
  const inodes = resolveLinks(entries);
  const names = new Map<TarMember, string>();
  const canonical: TarMember[] = [];
  const ordered = [...inodes]
    .map(([path, inode]) => ({ path, inode, key: orderKey(path) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  refuseMisplaced(ordered);
  for (const { path, inode } of ordered) {
    const first = names.get(inode);
    if (isDropped(path, inode)) continue;
    if (first === undefined) {
      names.set(inode, path);
      canonical.push(canonicalEntry(path, inode));
    } else {
      canonical.push({
        ...canonicalEntry(path, inode),
        type: 'link',
        target: first,
        size: 0,
        segments: [],
      });
    }
  }
  return canonical;
}

/** Maps paths to members; all names of an inode map to the same member. */
function resolveLinks(entries: readonly TarMember[]): Map<string, TarMember> {
  const inodes = new Map<string, TarMember>();
  for (const entry of entries) {
    const before = inodes.get(entry.path);
    if (before !== undefined && (before.type !== 'directory' || entry.type !== 'directory'))
      throw layerInvalid(0, `${quoteName(entry.path)} occurs twice`);
    inodes.set(entry.path, entry.type === 'link' ? linkedBy(entry, inodes) : entry);
  }
  return inodes;
}

/** Hard links always refer to a name in the same layer: otherwise engines write the whole file. */
function linkedBy(link: TarMember, inodes: ReadonlyMap<string, TarMember>): TarMember {
  const target = inodes.get(link.target);
  if (target === undefined)
    throw layerInvalid(
      0,
      `${quoteName(link.path)} is a hard link to ${quoteName(link.target)}, which does not precede it in the layer`,
    );
  if (target.type === 'directory')
    throw layerInvalid(0, `${quoteName(link.path)} is a hard link to a directory`);
  return target;
}

/** Refuses members below a member that is not a directory. `ordered` must be in tree order. */
function refuseMisplaced(ordered: readonly Placed[]): void {
  const above: Placed[] = [];
  for (const placed of ordered) {
    while (above.length > 0 && !isBelow(placed.path, above.at(-1)!.path)) above.pop();
    const nearest = above.at(-1);
    if (nearest !== undefined && nearest.inode.type !== 'directory')
      throw layerInvalid(
        0,
        `${quoteName(placed.path)} is below ${quoteName(nearest.path)}, which is not a directory`,
      );
    above.push(placed);
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === '' || (path.startsWith(folder) && path[folder.length] === '/');
}

function refuseHoles(entries: readonly TarMember[]): void {
  let holes = 0;
  for (const { path, size, segments } of entries) {
    const own = size - segments.reduce((sum, { length }) => sum + length, 0);
    holes += own;
    if (holes > MAX_HOLES)
      throw layerInvalid(
        0,
        `${quoteName(path)} has ${own} bytes of holes; a layer can have at most ${MAX_HOLES}`,
      );
  }
}

function canonicalEntry(path: string, inode: TarMember): TarMember {
  if (baseOf(path).startsWith(WHITEOUT)) {
    return {
      path,
      type: 'file',
      target: '',
      mode: 0,
      uid: 0,
      gid: 0,
      mtime: SOURCE_DATE_EPOCH,
      size: 0,
      xattrs: new Map(),
      segments: [],
    };
  }
  return {
    ...inode,
    path,
    mode: inode.type === 'symlink' ? 0o777 : inode.mode,
    mtime: timeOf(inode),
    xattrs: new Map([...inode.xattrs].filter(([name]) => !PRIVATE_XATTR.test(name))),
  };
}

/**
 * A file keeps a time before the epoch, since compiled Python files contain their source's time.
 * Directories get the epoch, since engines differ: for a directory that
 * `COPY --from=STAGE /dir/ /dir/` creates, Docker 20.10 writes the build's time, 26 the source's.
 */
function timeOf({ type, mtime }: TarMember): number {
  return type === 'file' || type === 'link'
    ? Math.min(Math.max(mtime, 0), SOURCE_DATE_EPOCH)
    : SOURCE_DATE_EPOCH;
}

/** Junk, whiteouts of junk (the stored parent has none) and internal files of AUFS. */
function isDropped(path: string, inode: TarMember): boolean {
  if (inode.type === 'directory') return false;
  const base = baseOf(path);
  if (base === OPAQUE) return false;
  if (base.startsWith(`${WHITEOUT}${WHITEOUT}`)) return true;
  return isJunk(
    base.startsWith(WHITEOUT)
      ? path.slice(0, path.length - base.length) + base.slice(WHITEOUT.length)
      : path,
  );
}

/** A key that sorts paths in tree order: `/` before every other byte, whiteouts before names. */
function orderKey(path: string): string {
  const part = (name: string): string =>
    name === OPAQUE ? '\x01\x01' : name.startsWith(WHITEOUT) ? `\x01\x02${name}` : `\x02${name}`;
  return path === '' ? '' : path.split('/').map(part).join('\0');
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

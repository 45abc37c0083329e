import { SOURCE_DATE_EPOCH } from '#core';
import { layerInvalid, type TarEntry } from '../tar/tar-entry.ts';
import { isJunk } from './junk.ts';

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
/** Written by overlay file systems for themselves. */
const PRIVATE_XATTR = /^(?:trusted|user)\.overlay\./;

/**
 * The members of a layer in their one canonical form and order: the last of equal paths, parents before children and of
 * siblings the opaque mark first, then other whiteouts; of hard-linked names the first carries the content and the others
 * link to it, all with the extended attributes, since an engine sets the owner with each name, which takes capabilities away;
 * times clamped to the epoch; without junk. Applied twice it changes nothing. Raises `layer-invalid`.
 */
export function canonicalLayer(entries: readonly TarEntry[]): TarEntry[] {
  const inodes = resolveLinks(entries);
  refuseMisplaced(inodes);
  const names = new Map<TarEntry, string>();
  const canonical: TarEntry[] = [];
  const ordered = [...inodes].map(([path, inode]) => ({ path, inode, key: orderKey(path) })).sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const { path, inode } of ordered) {
    const first = names.get(inode);
    if (isDropped(path, inode)) continue;
    if (first === undefined) {
      names.set(inode, path);
      canonical.push(canonicalEntry(path, inode));
    } else {
      canonical.push({ ...canonicalEntry(path, inode), type: 'link', target: first, size: 0, segments: [] });
    }
  }
  return canonical;
}

/** Path -> the member that stands there in the end; names of one inode share the member. */
function resolveLinks(entries: readonly TarEntry[]): Map<string, TarEntry> {
  const inodes = new Map<string, TarEntry>();
  for (const entry of entries) {
    const target = entry.type === 'link' ? inodes.get(entry.target) : undefined;
    if (target?.type === 'directory') throw layerInvalid(0, `${show(entry.path)} is a hard link to a directory`);
    inodes.set(entry.path, target ?? entry);
  }
  return inodes;
}

function refuseMisplaced(inodes: ReadonlyMap<string, TarEntry>): void {
  for (const [path, inode] of inodes) {
    if (inode.type === 'link' && inodes.has(inode.target)) throw layerInvalid(0, `${show(path)} is a hard link to what comes later`);
    const parent = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    const type = parent === '' ? 'directory' : inodes.get(parent)?.type;
    if (type !== undefined && type !== 'directory') throw layerInvalid(0, `${show(path)} lies below ${show(parent)}, which is no directory`);
  }
}

function canonicalEntry(path: string, inode: TarEntry): TarEntry {
  if (baseOf(path).startsWith(WHITEOUT)) {
    return {
      path,
      type: 'file',
      target: '',
      mode: 0,
      uid: 0,
      gid: 0,
      mtime: SOURCE_DATE_EPOCH,
      major: 0,
      minor: 0,
      size: 0,
      xattrs: new Map(),
      segments: [],
    };
  }
  return {
    ...inode,
    path,
    mode: inode.type === 'symlink' ? 0o777 : inode.mode,
    mtime: Math.min(Math.max(inode.mtime, 0), SOURCE_DATE_EPOCH),
    xattrs: new Map([...inode.xattrs].filter(([name]) => !PRIVATE_XATTR.test(name))),
  };
}

/** Junk, whiteouts of junk (the parent in the store holds none) and the bookkeeping of AUFS. */
function isDropped(path: string, inode: TarEntry): boolean {
  if (inode.type === 'directory') return false;
  const base = baseOf(path);
  if (base === OPAQUE) return false;
  if (base.startsWith(`${WHITEOUT}${WHITEOUT}`)) return true;
  return isJunk(base.startsWith(WHITEOUT) ? path.slice(0, path.length - base.length) + base.slice(WHITEOUT.length) : path);
}

/** Sorts like the tree is walked: `/` before every other byte, whiteouts before names. */
function orderKey(path: string): string {
  const part = (name: string): string => (name === OPAQUE ? '\x01\x01' : name.startsWith(WHITEOUT) ? `\x01\x02${name}` : `\x02${name}`);
  return path === '' ? '' : path.split('/').map(part).join('\0');
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function show(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString());
}

import type { LayerMember } from '#ports';
import { isAllowed } from './file-checks.ts';
import { pathText, type ImageTree } from './merge-layers.ts';

/** A base image whose libraries were checked. */
export interface CheckedBase {
  readonly tree: ImageTree;
  /** `tests.allow` of the base. */
  readonly allow: readonly string[];
}

const LOADER_FILE = /^etc\/ld\.so/;
const LIBRARY_NAME = /\.so(?:\.|$)/;
const MAX_LINKS = 40;
const MAX_PARTS = 1000;

/**
 * Absolute paths of the ELF files whose libraries must be checked, except files that `allow` lists.
 * On a checked base, these are the added files, and files that only the base allows. If the image
 * changes the libraries that the loader finds for files of the base, these are all files.
 */
export function librariesToCheck(
  tree: ImageTree,
  allow: readonly string[],
  base?: CheckedBase,
): readonly string[] {
  const all = base === undefined || changesLibraries(tree, base.tree);
  return [...tree.values()]
    .filter((member) => member.elf)
    .filter((member) => all || base.tree.get(member.path) !== member || base.allow.length > 0)
    .map((member) => ({ member, path: pathText(member.path) }))
    .filter(
      ({ member, path }) =>
        !isAllowed(path, allow) &&
        (all || base.tree.get(member.path) !== member || isAllowed(path, base.allow)),
    )
    .map(({ path }) => path);
}

/**
 * True if the loader can find other libraries for files of `below` in `tree`: a program, a library,
 * a link or the loader's configuration was changed or removed, or a library was added under a name
 * that exists elsewhere. Also true for added links to directories.
 */
function changesLibraries(tree: ImageTree, below: ImageTree): boolean {
  const names = new Set<string>();
  for (const member of below.values()) {
    if (isLibrary(member)) names.add(nameOf(member.path));
    if (tree.get(member.path) !== member && isRelevant(member)) return true;
  }
  for (const member of tree.values()) {
    if (below.get(member.path) === member || member.type === 'd') continue;
    if (LOADER_FILE.test(member.path) || !hasRealFolder(tree, member.path)) return true;
    if (names.has(nameOf(member.path))) return true;
    if (member.type === 'l' && isFolderLink(tree, member)) return true;
  }
  return false;
}

/** True for files that the loader can load or read, and for links, which can lead to such files. */
function isRelevant(member: LayerMember): boolean {
  return member.elf || member.type === 'l' || LOADER_FILE.test(member.path);
}

function isLibrary({ path, elf, type }: LayerMember): boolean {
  return (elf || type === 'l') && LIBRARY_NAME.test(nameOf(path));
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** False for a path below a link: its real path is unknown. */
function hasRealFolder(tree: ImageTree, path: string): boolean {
  const end = path.lastIndexOf('/');
  return end < 0 || tree.get(path.slice(0, end))?.type === 'd';
}

/** True if the link leads to a directory, or too far. */
function isFolderLink(tree: ImageTree, link: LayerMember): boolean {
  const found = resolve(tree, link.path.split('/'), MAX_LINKS);
  return found === undefined || found === '' || tree.get(found)?.type === 'd';
}

/**
 * The real path of `parts`, which need not exist; empty for the root, undefined after too many
 * links.
 */
function resolve(tree: ImageTree, parts: readonly string[], links: number): string | undefined {
  const real: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (part === '..') real.pop();
    if (part === '' || part === '.' || part === '..') continue;
    const member = tree.get([...real, part].join('/'));
    if (member?.type !== 'l') {
      real.push(part);
      continue;
    }
    if (links === 0 || parts.length > MAX_PARTS) return undefined;
    const start = member.target.startsWith('/') ? [] : real;
    const rest = parts.slice(index + 1);
    return resolve(tree, [...start, ...member.target.split('/'), ...rest], links - 1);
  }
  return real.join('/');
}

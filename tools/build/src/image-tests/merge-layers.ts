import type { LayerListing, LayerMember } from '#ports';

/**
 * The files of an image by `LayerMember.path`. Unchanged files of a lower layer are the same
 * objects.
 */
export type ImageTree = ReadonlyMap<string, LayerMember>;

const WHITEOUT = '.wh.';
const OPAQUE = '.wh..wh..opq';
const NOT_ASCII = /[\u0080-\u00ff]/;

/** The files of an image of these layers on `base`, lowest layer first, without its root. */
export function mergeLayers(
  layers: readonly LayerListing[],
  base: ImageTree = new Map(),
): ImageTree {
  const tree = new Map(base);
  for (const { members } of layers) applyLayer(tree, members);
  return tree;
}

function applyLayer(tree: Map<string, LayerMember>, members: readonly LayerMember[]): void {
  /** Directories whose earlier content is hidden. */
  const emptied = new Set<string>();
  const added: LayerMember[] = [];
  const remove = (path: string): void => {
    if (tree.get(path)?.type === 'd') emptied.add(path);
    tree.delete(path);
  };
  for (const member of members) {
    const slash = member.path.lastIndexOf('/');
    const name = member.path.slice(slash + 1);
    const folder = member.path.slice(0, Math.max(slash, 0));
    if (name === OPAQUE) emptied.add(folder);
    else if (name.startsWith(WHITEOUT))
      remove(`${folder === '' ? '' : `${folder}/`}${name.slice(WHITEOUT.length)}`);
    else if (member.path !== '') {
      added.push(member);
      if (member.type !== 'd') remove(member.path);
    }
  }
  if (emptied.size > 0)
    for (const path of tree.keys()) if (isBelow(path, emptied)) tree.delete(path);
  for (const member of added) tree.set(member.path, member);
}

function isBelow(path: string, folders: ReadonlySet<string>): boolean {
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (folders.has(path.slice(0, end))) return true;
  return folders.has('');
}

/** Lines of the image's /etc/passwd; empty if it has none, or none that is a file. */
export function accountsOf(layers: readonly LayerListing[], tree: ImageTree): readonly string[] {
  if (tree.get('etc/passwd')?.type !== 'f') return [];
  return layers.findLast(({ users }) => users !== undefined)?.users ?? [];
}

/** A path of an image tree as text: absolute, with invalid UTF-8 replaced. */
export function pathText(path: string): string {
  return `/${NOT_ASCII.test(path) ? Buffer.from(path, 'latin1').toString() : path}`;
}

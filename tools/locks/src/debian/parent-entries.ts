import { CcpError, codeOf, messageOf, type ImageName } from '#core';
import type { DebianPackage } from '../types.ts';
import { controlEntry, type ReadControls } from './control-entry.ts';
import type { PackageEntry, PackageLists } from './package-lists.ts';
import type { StanzaCache } from './stanza-cache.ts';

/** A package of a parent's layer. */
export interface ParentPackage extends DebianPackage {
  readonly image: ImageName;
}

/** Where the entries of locked packages are read from, in this order. */
export interface EntrySources {
  readonly lists: PackageLists;
  readonly stanzas: StanzaCache;
  readonly controls: ReadControls;
}

/** Errors of a file that another try does not fix. */
export const GONE: ReadonlySet<string> = new Set([
  'file-gone',
  'checksum-mismatch',
  'package-invalid',
]);

/**
 * The entries of the packages in a parent's layers. A version that the lists dropped is read from
 * the stanza cache, else from the package itself. Raises `debian-version-gone` if neither has it,
 * and the other errors of the fetch.
 */
export async function parentEntries(
  title: string,
  below: readonly ParentPackage[],
  { lists, stanzas, controls }: EntrySources,
): Promise<readonly PackageEntry[]> {
  const found = below.map((item) => {
    const listed = lists.find(item.sha256);
    const kept = stanzas.find(item);
    if (listed !== undefined && kept === undefined) stanzas.keep(listed);
    return listed ?? kept;
  });
  const dropped = below.filter((_, index) => found[index] === undefined);
  if (dropped.length === 0) return found as readonly PackageEntry[];
  const texts = await controls(dropped).catch((thrown: unknown) => {
    throw GONE.has(codeOf(thrown) ?? '') ? versionGone(title, dropped, thrown) : thrown;
  });
  return below.map((item, index) => {
    const known = found[index];
    if (known !== undefined) return known;
    const { image: _, ...locked } = item;
    const entry = controlEntry(locked, texts.get(item.sha256) ?? '');
    stanzas.keep(entry);
    return entry;
  });
}

function versionGone(title: string, dropped: readonly ParentPackage[], cause: unknown): CcpError {
  const images = [...new Set(dropped.map(({ image }) => image))];
  const lines = dropped.map(({ name, version, image }) => `${name} ${version} (lock of ${image})`);
  return new CcpError({
    code: 'debian-version-gone',
    message: `${title} is based on versions that the mirror no longer lists, and a package cannot be read:\n- ${lines.join('\n- ')}\n${messageOf(cause)}`,
    hint: `update the locks that list these versions: "ccp lock ${images.join(' ')} --update"`,
    cause,
  });
}

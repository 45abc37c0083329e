import { codeOf } from '#core';
import type { DebianPackage } from '../types.ts';
import { controlEntry } from './control-entry.ts';
import { sourceName, type PackageEntry } from './package-lists.ts';
import { GONE, type EntrySources } from './parent-entries.ts';

export interface Siblings {
  /** At most one version per name. */
  readonly entries: readonly PackageEntry[];
  /** The entries that the lists do not have. */
  readonly dropped: readonly PackageEntry[];
}

/**
 * The packages that were built with these packages of a parent from the same version of a source,
 * such as libc6-dev for libc6. They are found in the lists, in the stanza cache and among the
 * packages of other locks (`known`), if their files still exist. Raises the other errors of the
 * fetch.
 */
export async function siblingsOf(
  parents: readonly PackageEntry[],
  known: readonly DebianPackage[],
  { lists, stanzas, controls }: EntrySources,
): Promise<Siblings> {
  const archives = new Map(
    parents.map(({ package: item }) => [sourceName(item.pool), item.archive]),
  );
  const builds = new Set(parents.map(buildOf));
  const names = new Set(parents.map(({ package: { name } }) => name));
  const chosen = new Map<string, PackageEntry>();
  const take = (entry: PackageEntry): void => {
    const { name } = entry.package;
    if (builds.has(buildOf(entry)) && !names.has(name) && !chosen.has(name))
      chosen.set(name, entry);
  };
  lists.ofSources(archives).forEach(take);
  const listed = chosen.size;
  stanzas.ofSources(archives).forEach(take);
  for (const item of known) {
    if (!archives.has(sourceName(item.pool)) || chosen.has(item.name)) continue;
    if (lists.find(item.sha256) !== undefined || stanzas.find(item) !== undefined) continue;
    try {
      take(controlEntry(item, (await controls([item])).get(item.sha256) ?? ''));
    } catch (thrown) {
      // Any other fault must not decide which versions are locked.
      if (!GONE.has(codeOf(thrown) ?? '')) throw thrown;
    }
  }
  const entries = [...chosen.values()];
  return { entries, dropped: entries.slice(listed) };
}

/** The source package and its version that an entry was built from. */
function buildOf({ package: { pool, version }, stanza }: PackageEntry): string {
  const source = /^Source: \S+ \((\S+)\)$/m.exec(stanza)?.[1];
  return `${sourceName(pool)} ${source ?? version}`;
}

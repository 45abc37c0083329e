import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, type Sha256 } from '#core';
import { readBounded, replaceFile } from '#host';
import type { DebianPackage } from '../types.ts';
import { parseStanza, sourceName, type PackageEntry } from './package-lists.ts';

/** Limit of one stanza; Debian's longest has about 20 kB. */
const MAX_BYTES = 1 << 20;
/** Errors of an entry that is missing or damaged. */
const UNUSABLE = new Set(['ENOENT', 'debian-list-invalid', 'file-unreadable']);

/**
 * Stanzas of locked packages, kept because the package lists drop a version when a newer one is
 * published.
 */
export interface StanzaCache {
  keep(entry: PackageEntry): void;
  find(item: DebianPackage): PackageEntry | undefined;
  /** Every kept entry of these source packages, with the archive that the map names. */
  ofSources(archives: ReadonlyMap<string, DebianPackage['archive']>): readonly PackageEntry[];
}

/**
 * Opens the stanza cache below the folder `cache` (absolute path). Lists that another keyring signs
 * have a cache of their own, named by `signer`.
 */
export function openStanzaCache(cache: string, signer?: Sha256): StanzaCache {
  const folder = join(cache, 'apt', signer === undefined ? 'stanzas' : `stanzas-${signer}`);
  mkdirSync(folder, { recursive: true });
  const read = (name: string, archive: DebianPackage['archive']): PackageEntry | undefined => {
    try {
      const stanza = readBounded(join(folder, name), MAX_BYTES).toString();
      const entry = parseStanza(stanza, archive);
      return entry.package.sha256 === name ? entry : undefined;
    } catch (thrown) {
      if (UNUSABLE.has(codeOf(thrown) ?? '')) return undefined;
      throw thrown;
    }
  };
  return {
    keep: ({ package: { sha256 }, stanza }) =>
      replaceFile(join(folder, sha256), stanza, { flush: false }),
    find: (item) => read(item.sha256, item.archive),
    ofSources: (archives) =>
      readdirSync(folder)
        .filter((name) => /^[0-9a-f]{64}$/.test(name))
        .toSorted()
        .flatMap((name) => {
          const found = read(name, 'debian');
          const archive = found && archives.get(sourceName(found.package.pool));
          return found === undefined || archive === undefined
            ? []
            : [{ ...found, package: { ...found.package, archive } }];
        }),
  };
}

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#core';
import { replaceFile } from '#host';
import type { DebianPackage } from '../types.ts';
import { parseStanza, type PackageEntry } from './package-lists.ts';

/**
 * Stanzas of locked packages, kept because the package lists drop a version when a newer one is
 * published.
 */
export interface StanzaCache {
  keep(entry: PackageEntry): void;
  find(item: DebianPackage): PackageEntry | undefined;
}

/** Opens the stanza cache below the folder `cache` (absolute path). */
export function openStanzaCache(cache: string): StanzaCache {
  const folder = join(cache, 'apt', 'stanzas');
  mkdirSync(folder, { recursive: true });
  return {
    keep: ({ package: { sha256 }, stanza }) =>
      replaceFile(join(folder, sha256), stanza, { flush: false }),
    find: (item) => {
      try {
        const entry = parseStanza(readFileSync(join(folder, item.sha256), 'utf8'), item.archive);
        return entry.package.sha256 === item.sha256 ? entry : undefined;
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'debian-list-invalid')
          return undefined;
        throw thrown;
      }
    },
  };
}

import { sha256, type Series } from '#core';
import { readBounded } from '#host';
import type { DebianPackage } from '../types.ts';
import { openAptRoot, type AptRoot, type AptRootOptions } from './apt-root.ts';
import type { ReadControls } from './control-entry.ts';
import { openPackageLists, type PackageLists } from './package-lists.ts';
import { parentEntries, type ParentPackage } from './parent-entries.ts';
import { resolveWithSiblings } from './resolve-with-siblings.ts';
import { openStanzaCache, type StanzaCache } from './stanza-cache.ts';

export interface DebianStageRequest {
  readonly title: string;
  /** Package names and apt patterns. */
  readonly packages: readonly string[];
  /** Whether to omit the dependencies. */
  readonly alone: boolean;
  /** Locked packages of the parent's layers, with the image whose lock lists them. */
  readonly below: readonly ParentPackage[];
  /** Previously locked packages of the stage; kept if the lists still have them. */
  readonly keep: readonly DebianPackage[];
  readonly note: (detail: string) => void;
}

/** Resolves Debian stages of one suite; fetches the package lists for the first stage. */
export interface DebianResolver {
  resolve(request: DebianStageRequest): Promise<readonly DebianPackage[]>;
}

export interface DebianResolverOptions extends AptRootOptions {
  readonly series: Series;
  /** Called before the lists are read. */
  readonly onLists: () => void;
  readonly controls: ReadControls;
  /** The packages in the locks of all images; called if a stage needs a dropped version. */
  readonly known: () => readonly DebianPackage[];
}

interface Opened {
  readonly root: AptRoot;
  readonly lists: PackageLists;
  readonly stanzas: StanzaCache;
}

/** Creates apt's root and reads its lists when the first stage is resolved. */
export function openDebianResolver(options: DebianResolverOptions): DebianResolver {
  const { keyring, controls } = options;
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    options.onLists();
    const root = await openAptRoot(options);
    const signer = keyring === undefined ? undefined : sha256(readBounded(keyring));
    const stanzas = openStanzaCache(options.cache, signer);
    return { root, lists: openPackageLists(root.lists), stanzas };
  };
  return {
    resolve: async ({ title, packages, alone, below, keep, note }) => {
      if (packages.length === 0) return [];
      const { root, lists, stanzas } = await (opened ??= open());
      const sources = { lists, stanzas, controls };
      const installed = await parentEntries(title, below, sources);
      const kept = keep.filter((item) => lists.find(item.sha256) !== undefined);
      const chosen = await resolveWithSiblings(
        root,
        { title, packages, alone, installed, keep: kept },
        { ...sources, below, known: options.known, series: options.series, note },
      );
      for (const item of chosen) {
        const entry = lists.find(item.sha256);
        if (entry !== undefined) stanzas.keep(entry);
      }
      const names = new Map(chosen.map((item) => [item.name, item]));
      for (const old of keep) {
        const now = names.get(old.name);
        if (now !== undefined && now.version !== old.version && !kept.includes(old)) {
          note(
            `${old.name} ${old.version} was removed from the mirror; ${now.version} replaces it`,
          );
        }
      }
      return chosen;
    },
  };
}

import { CcpError, codeOf } from '#core';
import type { DebianPackage } from '../types.ts';
import { openAptRoot, type AptRoot, type AptRootOptions } from './apt-root.ts';
import { openPackageLists, type PackageLists } from './package-lists.ts';
import { resolveStage } from './resolve-stage.ts';
import { openStanzaCache } from './stanza-cache.ts';

export interface DebianStageRequest {
  readonly title: string;
  /** Package names and apt patterns. */
  readonly packages: readonly string[];
  /** Whether what they depend on is left out. */
  readonly alone: boolean;
  /** What the parent's layers are locked to. */
  readonly below: readonly DebianPackage[];
  /** What the stage was locked to; kept where the lists still have it. */
  readonly keep: readonly DebianPackage[];
  readonly note: (detail: string) => void;
}

/** Resolves Debian stages of one suite; fetches the lists when the first stage asks. */
export interface DebianResolver {
  resolve(request: DebianStageRequest): Promise<readonly DebianPackage[]>;
}

interface Opened {
  readonly root: AptRoot;
  readonly lists: PackageLists;
}

/** Makes the root of apt and reads its lists when the first stage is asked for; `onLists` is called before. */
export function openDebianResolver(options: AptRootOptions & { readonly onLists: () => void }): DebianResolver {
  const stanzas = openStanzaCache(options.cache);
  let opened: Promise<Opened> | undefined;
  const open = async (): Promise<Opened> => {
    options.onLists();
    const root = await openAptRoot(options);
    return { root, lists: openPackageLists(root.lists) };
  };
  return {
    resolve: async ({ title, packages, alone, below, keep, note }) => {
      if (packages.length === 0) return [];
      const { root, lists } = await (opened ??= open());
      const installed = below.map((item) => lists.find(item.sha256) ?? stanzas.find(item) ?? gone(title, item));
      const kept = keep.filter((item) => lists.find(item.sha256) !== undefined);
      const chosen = await resolveStage(root, lists, { title, packages, alone, installed, keep: kept }).catch(async (thrown: unknown) => {
        if (codeOf(thrown) !== 'debian-unresolvable' || kept.length === 0) throw thrown;
        const moved = await resolveStage(root, lists, { title, packages, alone, installed, keep: [] });
        note(`what ${title} was locked to no longer fits together, so that all its packages may move`);
        return moved;
      });
      for (const item of chosen) {
        const entry = lists.find(item.sha256);
        if (entry !== undefined) stanzas.keep(entry);
      }
      const names = new Map(chosen.map((item) => [item.name, item]));
      for (const old of keep) {
        const now = names.get(old.name);
        if (now !== undefined && now.version !== old.version && !kept.includes(old)) {
          note(`${old.name} ${old.version} is gone from the mirror, ${now.version} takes its place`);
        }
      }
      return chosen;
    },
  };
}

function gone(title: string, item: DebianPackage): never {
  throw new CcpError({
    code: 'debian-version-gone',
    message: `${title} stands on ${item.name} ${item.version}, which the mirror no longer lists`,
    hint: 'run ccp lock --update for the image whose lock names it',
  });
}

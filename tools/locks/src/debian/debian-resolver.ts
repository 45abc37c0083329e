import { CcpError, codeOf, type ImageName } from '#core';
import type { DebianPackage } from '../types.ts';
import { openAptRoot, type AptRoot, type AptRootOptions } from './apt-root.ts';
import { openPackageLists, type PackageLists } from './package-lists.ts';
import { resolveStage } from './resolve-stage.ts';
import { openStanzaCache } from './stanza-cache.ts';

/** A package of a parent's layer. */
export interface ParentPackage extends DebianPackage {
  readonly image: ImageName;
}

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

interface Opened {
  readonly root: AptRoot;
  readonly lists: PackageLists;
}

/**
 * Creates apt's root and reads its lists when the first stage is resolved; `onLists` is called
 * before.
 */
export function openDebianResolver(
  options: AptRootOptions & { readonly onLists: () => void },
): DebianResolver {
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
      const installed = below.map(
        (item) => lists.find(item.sha256) ?? stanzas.find(item) ?? versionGone(title, item),
      );
      const kept = keep.filter((item) => lists.find(item.sha256) !== undefined);
      const chosen = await resolveStage(root, lists, {
        title,
        packages,
        alone,
        installed,
        keep: kept,
      }).catch(async (thrown: unknown) => {
        if (codeOf(thrown) !== 'debian-unresolvable' || kept.length === 0) throw thrown;
        const renewed = await resolveStage(root, lists, {
          title,
          packages,
          alone,
          installed,
          keep: [],
        });
        note(`the locked packages of ${title} now conflict; all its packages are resolved again`);
        return renewed;
      });
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

function versionGone(title: string, item: ParentPackage): never {
  throw new CcpError({
    code: 'debian-version-gone',
    message: `${title} is based on ${item.name} ${item.version}, which the mirror no longer lists`,
    hint: `the lock of ${item.image} lists it: update the locks of all images with "ccp lock --update"`,
  });
}

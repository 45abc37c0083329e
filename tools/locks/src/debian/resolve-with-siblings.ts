import { codeOf, type Series } from '#core';
import type { DebianPackage } from '../types.ts';
import type { AptRoot } from './apt-root.ts';
import type { PackageEntry, PackageLists } from './package-lists.ts';
import { GONE, type EntrySources, type ParentPackage } from './parent-entries.ts';
import { parentConflict } from './parent-conflict.ts';
import { chooseEntries, resolveStage, type StageRequest } from './resolve-stage.ts';
import { siblingsOf, type Siblings } from './siblings.ts';

export interface SiblingSources extends EntrySources {
  readonly below: readonly ParentPackage[];
  readonly known: () => readonly DebianPackage[];
  readonly series: Series;
  readonly note: (detail: string) => void;
}

/** Errors after which other versions are tried. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set([
  'debian-unresolvable',
  'debian-conflict',
  ...GONE,
]);

/**
 * Resolves a stage. If that needs newer packages than its parents lock, packages of the same source
 * versions as the parents' are taken, also if the lists dropped them. Previously locked packages
 * are resolved again if they conflict. Raises `debian-conflict` with each package of a parent that
 * would have to be newer, and else the errors of `resolveStage`.
 */
export async function resolveWithSiblings(
  root: AptRoot,
  request: StageRequest,
  sources: SiblingSources,
): Promise<readonly DebianPackage[]> {
  const { title, keep } = request;
  const first = await attempt(() => resolveStage(root, sources.lists, request));
  if ('chosen' in first) return first.chosen;
  const free: StageRequest = { ...request, keep: [] };
  const relaxed = await attempt(() => chooseEntries(root, sources.lists, free, true));
  const newer = 'chosen' in relaxed ? replacedBy(relaxed.chosen, request.installed) : [];
  const siblings =
    newer.length === 0
      ? { entries: [], dropped: [] }
      : await siblingsOf(newer, sources.known(), sources);
  const lists = await offered(root, sources.lists, siblings);
  let { failure } = first;
  for (const each of triesOf(request, free, siblings)) {
    const next = await attempt(async () => {
      const chosen = await resolveStage(root, lists, each);
      const files = siblings.dropped.map((entry) => entry.package).filter(isIn(chosen));
      if (files.length > 0) await sources.controls(files);
      return chosen;
    });
    if ('chosen' in next) {
      if (keep.length > 0 && each.renewed)
        sources.note(
          `the locked packages of ${title} now conflict; all its packages are resolved again`,
        );
      for (const item of siblings.entries.map((entry) => entry.package).filter(isIn(next.chosen)))
        sources.note(
          `${item.name} ${item.version} is chosen to fit the version that a parent locks`,
        );
      return next.chosen;
    }
    failure = next.failure;
  }
  if (newer.length === 0 || 'failure' in relaxed) throw failure;
  throw parentConflict(title, relaxed.chosen, sources);
}

/** The requests to try after the first, in order; `renewed` ones prefer no locked version. */
function triesOf(
  request: StageRequest,
  free: StageRequest,
  { entries }: Siblings,
): readonly (StageRequest & { readonly renewed: boolean })[] {
  const preferring = ({ keep }: StageRequest): Pick<StageRequest, 'keep'> => {
    const versions = new Map(keep.map((item) => [item.name, item]));
    for (const { package: item } of entries) versions.set(item.name, item);
    return { keep: [...versions.values()] };
  };
  const kept = request.keep.length > 0;
  return [
    ...(entries.length > 0 ? [{ ...request, ...preferring(request), renewed: false }] : []),
    ...(kept ? [{ ...free, renewed: true }] : []),
    ...(kept && entries.length > 0 ? [{ ...free, ...preferring(free), renewed: true }] : []),
  ];
}

type Attempt<T> = { readonly chosen: readonly T[] } | { readonly failure: unknown };

/** The result of `resolve`, or its failure if the packages conflict. */
async function attempt<T>(resolve: () => Promise<readonly T[]>): Promise<Attempt<T>> {
  try {
    return { chosen: await resolve() };
  } catch (failure) {
    if (!CONFLICTS.has(codeOf(failure))) throw failure;
    return { failure };
  }
}

/** The packages of a parent that `chosen` has in another version. */
function replacedBy(
  chosen: readonly PackageEntry[],
  installed: readonly PackageEntry[],
): readonly PackageEntry[] {
  const names = new Set(chosen.map(({ package: { name } }) => name));
  return installed.filter(({ package: { name } }) => names.has(name));
}

/** The lists with the siblings that they dropped, which apt may choose from now on. */
async function offered(
  root: AptRoot,
  lists: PackageLists,
  { dropped }: Siblings,
): Promise<Pick<PackageLists, 'find'>> {
  if (dropped.length === 0) return lists;
  await root.offer(dropped);
  const added = new Map(dropped.map((entry) => [entry.package.sha256, entry]));
  return { find: (sha256) => lists.find(sha256) ?? added.get(sha256) };
}

const isIn =
  (chosen: readonly DebianPackage[]) =>
  (item: DebianPackage): boolean =>
    chosen.some(({ sha256 }) => sha256 === item.sha256);

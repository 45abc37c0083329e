import { sha256 } from '#core';
import type { AppSpec, Site } from '#site';

/**
 * The files that a plan is made from, with a hash of each file's content. Comments and white space
 * are ignored.
 */
export type PlanSources = Readonly<Record<string, string>>;

/** The site file and the files of the app specs that it uses. */
export function sourcesOf(site: Site, appSpecs: ReadonlyMap<string, AppSpec>): PlanSources {
  const used = new Set(Object.entries(site.apps).map(([name, { app = name }]) => app));
  const said: (Site | AppSpec)[] = [
    site,
    ...[...used].sort().flatMap((name) => appSpecs.get(name) ?? []),
  ];
  return Object.fromEntries(
    said.map((each) => [each.position([]).file, sha256(JSON.stringify(each))]),
  );
}

/** The differences between two plans' files, a line each. */
export function sourceChanges(before: PlanSources, now: PlanSources): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].sort().flatMap((file) => {
    if (before[file] === now[file]) return [];
    if (before[file] === undefined) return [`${file} was added`];
    return [`${file} ${now[file] === undefined ? 'is no longer used' : 'was changed'}`];
  });
}

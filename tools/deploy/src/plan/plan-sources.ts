import { sha256 } from '#core';
import type { AppSpec, Site } from '#definitions';

/** The files that a plan is made of, with a hash of what each says: comments and white space do not count. */
export type PlanSources = Readonly<Record<string, string>>;

/** The site's file and those of the app specs it runs. */
export function sourcesOf(site: Site, appSpecs: ReadonlyMap<string, AppSpec>): PlanSources {
  const used = new Set(Object.entries(site.apps).map(([name, { app = name }]) => app));
  const said: (Site | AppSpec)[] = [site, ...[...used].sort().flatMap((name) => appSpecs.get(name) ?? [])];
  return Object.fromEntries(said.map((each) => [each.position([]).file, sha256(JSON.stringify(each))]));
}

/** What is different of two plans' files, a line each. */
export function sourceChanges(before: PlanSources, now: PlanSources): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].sort().flatMap((file) => {
    if (before[file] === now[file]) return [];
    if (before[file] === undefined) return [`${file} was added`];
    return [`${file} ${now[file] === undefined ? 'is used no more' : 'was changed'}`];
  });
}

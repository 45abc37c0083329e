import { endState, type TinyWorld } from '#rollout/testing';

/** The objects of the site, without the resource, its events and who applied the site. */
export function siteState({
  cluster,
}: Pick<TinyWorld, 'cluster'>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(endState(cluster))
      .filter(([key]) => !/^(OpenStack|Event|Namespace)/.test(key))
      .map(([key, object]) => [key, JSON.stringify(object).replaceAll(/"by":"[^"]*"/g, '')]),
  );
}

import type { Site } from '#definitions';

type Path = readonly (string | number)[];

/** What a site says of all its ways in. */
export const WAYS_IN: Readonly<Record<string, readonly string[]>> = { expose: ['ingress', 'gateway', 'from'], tls: ['secret', 'issuer', 'ca'] };

/**
 * The paths of a site that say something about the way to an endpoint, lowest first: `tls`, `tls.secret`, `listener` or
 * `annotations.KEY`, whose keys hold dots. `undefined` for what is none of these.
 */
export function exposePaths(app: string, endpoint: string, asked: readonly string[], site: Site): readonly Path[] | undefined {
  const own: Path = ['apps', app, 'expose', endpoint];
  const [what, ...rest] = asked;
  switch (what) {
    case 'tls':
      // An own certificate takes the place of the site's as a whole.
      return site.apps[app]?.expose?.[endpoint]?.tls === undefined ? [['tls', ...rest]] : [[...own, 'tls', ...rest]];
    case 'listener':
      return [['expose', 'gateway', 'listeners', site.apps[app]?.hosts?.[endpoint]?.startsWith('https:') === true ? 'https' : 'http'], [...own, 'listener']];
    case 'annotations': {
      const key = rest.length === 0 ? [] : [rest.join('.')];
      return [['expose', 'ingress', 'annotations', ...key], [...own, 'annotations', ...key]];
    }
    default:
      return undefined;
  }
}

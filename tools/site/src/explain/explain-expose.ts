import type { Site } from '#definitions';
import { known, type Explanation } from './explanation.ts';
import { placed, type Path } from './placed.ts';

const PARTS = ['tls', 'listener', 'annotations'];

/** `ENDPOINT.tls`, `ENDPOINT.listener` or `ENDPOINT.annotations.KEY` of an app; or a part of it. */
export function explainExpose(
  site: Site,
  app: string,
  key: string,
  [endpoint = '', ...asked]: readonly string[],
): Explanation {
  const [part] = asked;
  if (part === undefined)
    return {
      key,
      layers: [],
      parts: PARTS.map((each) => explainExpose(site, app, `${key}.${each}`, [endpoint, each])),
    };
  known(key, 'key', part, PARTS);
  return {
    key,
    layers: exposePaths(app, endpoint, asked, site).flatMap((path) => placed(site, path)),
  };
}

/**
 * The paths in a site that configure the exposure of an endpoint, lowest first: `tls`,
 * `tls.secret`, `listener` or `annotations.KEY`, whose keys contain dots.
 */
function exposePaths(
  app: string,
  endpoint: string,
  asked: readonly string[],
  site: Site,
): readonly Path[] {
  const own: Path = ['apps', app, 'expose', endpoint];
  const [what, ...rest] = asked;
  switch (what) {
    case 'tls':
      // An own certificate takes the place of the site's as a whole.
      return site.apps[app]?.expose?.[endpoint]?.tls === undefined
        ? [['tls', ...rest]]
        : [[...own, 'tls', ...rest]];
    case 'listener':
      return [
        [
          'expose',
          'gateway',
          'listeners',
          site.apps[app]?.hosts?.[endpoint]?.startsWith('https:') === true ? 'https' : 'http',
        ],
        [...own, 'listener'],
      ];
    case 'annotations': {
      const key = rest.length === 0 ? [] : [rest.join('.')];
      return [
        ['expose', 'ingress', 'annotations', ...key],
        [...own, 'annotations', ...key],
      ];
    }
    default:
      return [];
  }
}

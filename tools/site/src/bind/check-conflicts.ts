import { nearest, type CcpError } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { keyOf } from '../model/object-key.ts';
import { EXPOSE_KINDS } from '../model/site-kinds.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Reports rules in `conflicts` for objects that the site does not render, as `site-invalid` with
 * position. Ingress and Gateway objects are checked only with `withIngress`, when `objects`
 * contains all of them.
 */
export function checkConflicts(
  site: Site,
  objects: readonly KubernetesObject[],
  { withIngress }: { readonly withIngress: boolean },
): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const keys = objects.map((object) => keyOf(object, site));
  for (const [index, { object }] of (site.conflicts ?? []).entries()) {
    if (object === undefined || keys.includes(object as (typeof keys)[number])) continue;
    if (!withIngress && EXPOSE_KINDS.some(({ kind }) => object.startsWith(`${kind}/`))) continue;
    const meant = nearest(object, keys);
    refuse(
      ['conflicts', index, 'object'],
      `the site has no object "${object}"`,
      meant === undefined
        ? `list the objects: ccp render ${site.name}`
        : `did you mean "${meant}"?`,
    );
  }
  return findings;
}

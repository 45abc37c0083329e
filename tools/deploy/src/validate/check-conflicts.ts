import { nearest, type CcpError } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { keyOf } from '../live/object-key.ts';
import { EXPOSE_KINDS } from '../live/site-kinds.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Rules about fields of objects that the site does not have; `site-invalid` each, at its place. Ways in are judged only where all of
 * them are among `objects`.
 */
export function checkConflicts(site: Site, objects: readonly KubernetesObject[], { withWays }: { readonly withWays: boolean }): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const keys = objects.map(keyOf);
  for (const [index, { object }] of (site.conflicts ?? []).entries()) {
    if (object === undefined || keys.includes(object as (typeof keys)[number])) continue;
    if (!withWays && EXPOSE_KINDS.some(({ kind }) => object.startsWith(`${kind}/`))) continue;
    const meant = nearest(object, keys);
    refuse(
      ['conflicts', index, 'object'],
      `the site has no object "${object}"`,
      meant === undefined ? `ccp render ${site.name} shows all of them` : `did you mean "${meant}"?`,
    );
  }
  return findings;
}

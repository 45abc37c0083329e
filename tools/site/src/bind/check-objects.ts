import { CcpError } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { checkConflicts } from './check-conflicts.ts';

/**
 * Reports objects with the same name, and rules in `conflicts` for objects that the site does not
 * render. Rules are checked only if the site `isWhole`; rules for Ingress and Gateway objects also
 * need `isExposed`.
 */
export function checkObjects(
  site: Site,
  objects: readonly KubernetesObject[],
  { isWhole, isExposed }: { readonly isWhole: boolean; readonly isExposed: boolean },
): readonly CcpError[] {
  return [
    ...duplicates(objects, site),
    ...(isWhole ? checkConflicts(site, objects, { withIngress: isExposed }) : []),
  ];
}

function duplicates(objects: readonly KubernetesObject[], site: Site): CcpError[] {
  const keys = objects.map(
    ({ kind, metadata }) =>
      `${kind} "${metadata.name}"${(metadata.namespace ?? site.namespace) === site.namespace ? '' : ` in the namespace "${metadata.namespace}"`}`,
  );
  const firsts = new Map(keys.map((key, index) => [key, index] as const).reverse());
  return keys
    .filter((key, index) => firsts.get(key) !== index)
    .map(
      (key) =>
        new CcpError({
          code: 'site-invalid',
          message: `two instances render the same object: ${key}`,
          hint: 'rename one of the instances',
          at: site.position(['apps']),
        }),
    );
}

import type { KubernetesObject } from '#ports';
import { EXPOSE_KINDS, groupKind, objectsOf, SITE_KINDS, type RenderedSite } from '#site';
import { GROUP } from '../resources/kinds.ts';

/** A rule of a Role. */
export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = [...READ, 'create', 'update', 'patch', 'delete'];

/** Rights in each namespace of a site besides those on its objects. */
const ALWAYS: readonly PolicyRule[] = [
  rule('', ['pods'], [...READ, 'delete']),
  rule('', ['pods/log'], ['get']),
  rule('', ['events'], ['list', 'create']),
  // Only metadata is listed, but the right to list includes values.
  rule('', ['secrets'], ['list', 'delete']),
  rule('', ['persistentvolumeclaims'], ['get', 'list', 'create', 'patch', 'delete']),
  rule('apps', ['replicasets'], ['list', 'watch']),
  rule('autoscaling', ['horizontalpodautoscalers'], ['list']),
];

/** Right on the Lease in one namespace. */
export const LOCK = rule('coordination.k8s.io', ['leases'], ['get', 'create', 'update', 'delete']);

/**
 * The rights that a site needs in one of its namespaces: on the kinds that it can have, and all
 * rights of the Roles that it contains there, without which the API server refuses to create them.
 * `home` is the site's own namespace.
 */
export function siteRules(
  rendered: RenderedSite,
  { home, inside }: { readonly home: string; readonly inside: string },
): readonly PolicyRule[] {
  const objects = objectsOf(rendered);
  const kinds = new Set(objects.map(groupKind));
  const written = [...SITE_KINDS, ...EXPOSE_KINDS.filter((kind) => kinds.has(groupKind(kind)))].map(
    ({ apiVersion, kind }) => rule(groupOf(apiVersion), [pluralOf(kind)], WRITE),
  );
  const here = objects.filter(({ metadata }) => (metadata.namespace ?? home) === inside);
  const roles = here.filter(({ kind }) => kind === 'Role').map(({ metadata }) => metadata.name);
  return [
    ...ALWAYS,
    ...(inside === home ? [LOCK] : []),
    ...written,
    ...grantedRules(here),
    // A dry run of a RoleBinding before its Role exists is otherwise answered with 404.
    ...(roles.length === 0 ? [] : [{ ...rule(RBAC, ['roles'], ['bind']), resourceNames: roles }]),
  ];
}

/** The rights outside the namespaces of sites, on `namespaces` those by name. */
export function clusterRules(namespaces: readonly string[]): readonly PolicyRule[] {
  return [
    rule(GROUP, ['openstackreleases', 'openstackservices'], [...READ, 'update']),
    rule(GROUP, ['openstackreleases/status', 'openstackservices/status'], ['update']),
    { ...rule('', ['namespaces'], ['get', 'patch']), resourceNames: namespaces },
    rule('', ['nodes'], ['list']),
  ];
}

/**
 * The rules of all Roles among objects, for objects of any name: names change with the number of
 * pods and with generations of Secrets, and a site must scale without a new installation.
 */
function grantedRules(objects: readonly KubernetesObject[]): readonly PolicyRule[] {
  const rules = objects.flatMap((object) =>
    object.kind === 'Role' ? (object['rules'] as unknown as readonly PolicyRule[]) : [],
  );
  const unnamed = rules.map(({ resourceNames: _, ...rest }) => rest);
  return [...new Map(unnamed.map((each) => [JSON.stringify(each), each])).values()];
}

function rule(group: string, resources: readonly string[], verbs: readonly string[]): PolicyRule {
  return { apiGroups: [group], resources, verbs };
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.split('/')[0]! : '';
}

function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return word.endsWith('ss') ? `${word}es` : `${word}s`;
}

import type { KubernetesObject } from '#ports';
import type { ApiAccess } from '#ports/testing';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** One verb on one resource: in a namespace, or in the whole cluster. */
export interface Grant {
  readonly namespace?: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly names?: readonly string[];
}

/** The rights that Roles and ClusterRoles among objects grant to bound accounts. */
export function grantsOf(objects: readonly KubernetesObject[]): readonly Grant[] {
  return objects
    .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
    .flatMap(({ metadata: { namespace }, ...object }) =>
      (object['rules'] as unknown as readonly Rule[]).flatMap((rule) =>
        rule.apiGroups.flatMap((group) =>
          rule.resources.flatMap((resource) =>
            rule.verbs.map((verb) => ({
              ...(namespace === undefined ? {} : { namespace }),
              group,
              resource,
              verb,
              ...(rule.resourceNames === undefined ? {} : { names: rule.resourceNames }),
            })),
          ),
        ),
      ),
    );
}

/** Whether a grant allows an access, as the authorizer `RBAC` decides. */
export function grants(grant: Grant, access: ApiAccess): boolean {
  return (
    (grant.namespace === undefined || grant.namespace === access.namespace) &&
    grant.group === access.group &&
    grant.resource === access.resource &&
    grant.verb === access.verb &&
    (grant.names === undefined || (access.name !== undefined && grant.names.includes(access.name)))
  );
}

/** `get apps/deployments in cloud`, for messages. */
export function accessLine({
  verb,
  group,
  resource,
  namespace,
}: Pick<ApiAccess, 'verb' | 'group' | 'resource' | 'namespace'>): string {
  const what = group === '' ? resource : `${group}/${resource}`;
  return `${verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}`;
}

import type { Site, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Instance } from './instance.ts';

/** Label of every namespace with its name. */
const NAME = 'kubernetes.io/metadata.name';

/**
 * Capabilities of the Pod Security Standard `baseline`:
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/
 */
export const BASELINE_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Sites as far as their namespaces depend on them. */
export type Namespaces = Pick<Site, 'namespace' | 'nodeNamespace'>;

/** Namespace of workloads that need rights on their node. */
export function nodeNamespaceOf({ namespace, nodeNamespace }: Namespaces): string {
  return nodeNamespace ?? `${namespace}-node`;
}

/** Whether the pods of a workload need more than the Pod Security Standard `baseline` allows. */
export function isNodeWorkload({ host, volumes = {}, containers }: Workload): boolean {
  return (
    [host?.network, host?.processes, host?.memory].some((reason) => reason !== undefined) ||
    Object.values(volumes).some((volume) => volume.host !== undefined) ||
    Object.values(containers).some(
      ({ security }) =>
        security?.privileged !== undefined ||
        Object.keys(security?.capabilities ?? {}).some((name) => !BASELINE_CAPABILITIES.has(name)),
    )
  );
}

/** Namespace of the pods, Services and policies of a workload. */
export function workloadNamespace(site: Namespaces, workload: Workload): string {
  return isNodeWorkload(workload) ? nodeNamespaceOf(site) : site.namespace;
}

/** Namespaces with pods of an instance, the site's own first. */
export function instanceNamespaces({ spec }: Instance, site: Namespaces): readonly string[] {
  const hasJobs =
    [spec.jobs, spec.actions, spec.checks].some((jobs) => Object.keys(jobs ?? {}).length > 0) ||
    Object.values(spec.provides ?? {}).some(({ setup }) => setup !== undefined);
  const all = Object.values(spec.workloads).map((workload) => workloadNamespace(site, workload));
  return [...new Set([...(hasJobs ? [site.namespace] : []), ...all])].sort(
    (a, b) => Number(b === site.namespace) - Number(a === site.namespace),
  );
}

/** Namespaces with pods of any of the instances, the site's own first. */
export function siteNamespaces(instances: Iterable<Instance>, site: Namespaces): readonly string[] {
  return [
    ...new Set([
      site.namespace,
      ...[...instances].flatMap((instance) => instanceNamespaces(instance, site)),
    ]),
  ];
}

/** The same object in another namespace. */
export function inNamespace(object: KubernetesObject, namespace: string): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** The selector of a namespace by its name. */
export function namespaceSelector(name: string): {
  readonly matchLabels: Readonly<Record<string, string>>;
} {
  return { matchLabels: { [NAME]: name } };
}

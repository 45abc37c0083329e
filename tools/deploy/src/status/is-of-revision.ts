import type { KubernetesObject, LiveObject } from '#ports';

interface PodTemplate {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  readonly initContainers?: PodTemplate['containers'];
  readonly volumes?: readonly { readonly configMap?: { readonly name: string }; readonly secret?: { readonly secretName: string } }[];
}

/**
 * Whether a workload runs what a revision wants of it: its images, which are named by digest, and its files and Secrets, whose names
 * change with what is in them.
 */
export function isOfRevision(live: LiveObject, rendered: KubernetesObject): boolean {
  return formOf(live) === formOf(rendered);
}

function formOf(object: KubernetesObject): string {
  const { containers = [], initContainers = [], volumes = [] } = (object['spec'] as { readonly template?: { readonly spec?: PodTemplate } }).template?.spec ?? {};
  const images = [...initContainers, ...containers].map(({ name, image }) => `${name}=${image}`);
  const files = volumes.flatMap(({ configMap, secret }) => configMap?.name ?? secret?.secretName ?? []);
  return JSON.stringify([images.sort(), files.sort()]);
}

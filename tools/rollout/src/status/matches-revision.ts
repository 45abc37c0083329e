import type { KubernetesObject, LiveObject } from '#ports';
import { differingFields } from './differing-fields.ts';

interface PodTemplate {
  readonly containers?: readonly { readonly name: string; readonly image?: string }[];
  readonly initContainers?: PodTemplate['containers'];
  readonly volumes?: readonly {
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}

/**
 * Whether a workload runs a revision: its images (named by digest), and its files and Secrets
 * (whose names change with their content). Other objects are compared field by field.
 */
export function matchesRevision(live: LiveObject, rendered: KubernetesObject): boolean {
  const hasPods =
    (rendered['spec'] as { readonly template?: object } | undefined)?.template !== undefined;
  return hasPods
    ? formOf(live) === formOf(rendered)
    : differingFields(live['spec'], rendered['spec']) === 0;
}

function formOf(object: KubernetesObject): string {
  const {
    containers = [],
    initContainers = [],
    volumes = [],
  } = (object['spec'] as { readonly template?: { readonly spec?: PodTemplate } }).template?.spec ??
  {};
  const images = [...initContainers, ...containers].map(({ name, image }) => `${name}=${image}`);
  const files = volumes.flatMap(
    ({ configMap, secret }) => configMap?.name ?? secret?.secretName ?? [],
  );
  return JSON.stringify([images.sort(), files.sort()]);
}

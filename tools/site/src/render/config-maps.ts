import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { BoundFile } from '../model/bound.ts';
import type { Instance } from '../model/instance.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';

/** A configuration file as a ConfigMap. */
export interface RenderedFile {
  readonly key: string;
  readonly executable: boolean;
  /** Whether running pods see new content. */
  readonly live: boolean;
  readonly object: KubernetesObject;
}

/**
 * Renders each file as an immutable ConfigMap whose name ends in the hash of its content, or a live
 * file as one that changes.
 */
export function renderConfigMaps(
  instance: Instance,
  files: ReadonlyMap<string, BoundFile>,
  site: Site,
): ReadonlyMap<string, RenderedFile> {
  return new Map([...files].map(([key, file]) => [key, renderFile(instance, file, site)]));
}

function renderFile(
  instance: Instance,
  { key, executable, live, text }: BoundFile,
  site: Site,
): RenderedFile {
  const data = { [key]: text };
  const slug = key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return {
    key,
    executable,
    live: live !== undefined,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name:
          live === undefined
            ? `${instance.name}-${slug}-${contentHash(data)}`
            : `${instance.name}-${live}-${slug}`,
        namespace: site.namespace,
        labels: { ...siteLabels(site), ...podLabels(instance, 'config') },
      },
      ...(live === undefined ? { immutable: true } : {}),
      data,
    },
  };
}

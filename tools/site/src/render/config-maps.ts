import { CcpError, findingsIn } from '#core';
import type { KubernetesObject } from '#ports';
import type { Scope } from '../model/facts.ts';
import type { Instance } from '../model/instance.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';
import type { SiteInput } from '../model/types.ts';
import { layersOf, renderConfigFile, type PlacedLayer } from './config-file.ts';

/** A rendered configuration file: its ConfigMap, and how it is mounted. */
export interface RenderedFile {
  readonly key: string;
  readonly executable: boolean;
  readonly object: KubernetesObject;
}

/** Bytes that a ConfigMap holds, of names and content: https://kubernetes.io/docs/concepts/configuration/configmap/ */
const MOST_BYTES = 1024 * 1024;

/**
 * Every configuration file of an instance, for one group of its nodes or all others, as an immutable ConfigMap whose name ends in the hash
 * of its content. What cannot be written is empty, and in `findings`, as `renderConfigFile` raises it, or `config-too-large`.
 */
export function renderConfigMaps(
  instance: Instance,
  scope: Scope,
  site: SiteInput['site'],
  findings: CcpError[],
  group?: string,
): ReadonlyMap<string, RenderedFile> {
  const files = new Map<string, RenderedFile>();
  const noted = (render: () => string): string => {
    try {
      return render();
    } catch (thrown) {
      findings.push(...findingsIn(thrown));
      return '';
    }
  };
  for (const [key, spec] of Object.entries(instance.spec.config ?? {})) {
    const override = (
      content: PlacedLayer['content'] | undefined,
      path: readonly string[],
    ): PlacedLayer[] =>
      content === undefined
        ? []
        : [
            {
              content,
              position: (inner) => site.position(['apps', instance.name, ...path, ...inner]),
            },
          ];
    const ofGroup =
      group === undefined
        ? []
        : override(instance.settings.nodes?.[group]?.config?.[key], [
            'nodes',
            group,
            'config',
            key,
          ]);
    const overrides = [...override(instance.settings.config?.[key], ['config', key]), ...ofGroup];
    const position: PlacedLayer['position'] = (path) =>
      instance.spec.position(['config', key, 'layers', ...path]);
    const layers = layersOf(spec, scope, position, overrides);
    const text = noted(() => fitting(key, renderConfigFile(spec.format, layers, scope), layers));
    const data = { [key]: text };
    const slug = key
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    files.set(key, {
      key,
      executable: spec.executable === true,
      object: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: `${instance.name}-${slug}-${contentHash(data)}`,
          namespace: site.namespace,
          labels: { ...siteLabels(site), ...podLabels(instance, 'config') },
        },
        immutable: true,
        data,
      },
    });
  }
  return files;
}

/** Raises `config-too-large` for a file that no ConfigMap holds, at its last layer. */
function fitting(key: string, text: string, layers: readonly PlacedLayer[]): string {
  const bytes = Buffer.byteLength(key) + Buffer.byteLength(text);
  if (bytes <= MOST_BYTES) return text;
  throw new CcpError({
    code: 'config-too-large',
    message: `the file "${key}" has ${bytes} bytes with its name, and a ConfigMap holds ${MOST_BYTES}`,
    hint: 'make it smaller, or have the image hold what is long',
    at: layers.at(-1)!.position([]),
  });
}

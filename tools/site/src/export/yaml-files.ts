import type { KubernetesObject } from '#ports';
import type { RenderedSite } from '../model/types.ts';
import type { ExportFile } from './export-file.ts';
import { yamlText } from '#formats';

type SiteNames = { readonly name: string; readonly namespace: string };

const SYNC_WAVE = 'argocd.argoproj.io/sync-wave';
/** Annotations by which Argo CD and Flux keep objects that hold data. */
const KEPT = {
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

/**
 * Files for kubectl, kustomize, Argo CD and Flux: one object per file in a folder for each wave,
 * each folder with a kustomization. Objects have the sync wave of Argo CD. `flux.yaml` has one
 * Kustomization of Flux for all folders: with one for each folder, Flux would delete a workload
 * whose wave changes before it creates it again.
 */
export function yamlFiles(rendered: RenderedSite, site: SiteNames): ExportFile[] {
  const waves = Map.groupBy(rendered.steps, ({ wave }) => wave);
  const folders = [
    { name: 'foundation', wave: -1, objects: rendered.foundation },
    ...[...waves].map(([wave, steps]) => ({
      name: `wave-${String(wave).padStart(2, '0')}`,
      wave,
      objects: steps.flatMap(({ objects }) => objects),
    })),
  ].filter(({ objects }) => objects.length > 0);
  return [
    { path: 'kustomization.yaml', text: kustomization(folders.map(({ name }) => name)) },
    { path: 'flux.yaml', text: fluxText(site) },
    ...folders.flatMap(({ name, wave, objects }) => {
      const files = objects.map((object) => ({
        path: fileName(object, site),
        text: yamlText(annotated(object, wave)),
      }));
      return [
        { path: `${name}/kustomization.yaml`, text: kustomization(files.map(({ path }) => path)) },
        ...files.map(({ path, text }) => ({ path: `${name}/${path}`, text })),
      ];
    }),
  ];
}

function kustomization(resources: readonly string[]): string {
  return yamlText({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...resources],
  });
}

/** `kind-name.yaml`, with the namespace if it is not the main one of the site. */
function fileName({ kind, metadata }: KubernetesObject, site: SiteNames): string {
  const { namespace = site.namespace, name } = metadata;
  const prefix = namespace === site.namespace ? '' : `${namespace}.`;
  return `${prefix}${kind.toLowerCase()}-${name}.yaml`;
}

function annotated(object: KubernetesObject, wave: number): KubernetesObject {
  const isKept = ['Namespace', 'PersistentVolumeClaim'].includes(object.kind);
  const { annotations, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: {
      ...metadata,
      annotations: { ...annotations, [SYNC_WAVE]: String(wave), ...(isKept ? KEPT : {}) },
    },
  };
}

/** The file is for a repository whose GitRepository in Flux has the name of the site. */
function fluxText({ name }: SiteNames): string {
  const help = [
    '# Not part of kustomization.yaml: apply it where Flux runs.',
    '# Change path if the files are not at the top of the repository, and sourceRef to your source.',
  ].join('\n');
  const kustomization = yamlText({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace: 'flux-system' },
    spec: {
      interval: '10m',
      timeout: '70m',
      path: './',
      prune: true,
      wait: true,
      sourceRef: { kind: 'GitRepository', name },
    },
  });
  return `${help}\n---\n${kustomization}`;
}

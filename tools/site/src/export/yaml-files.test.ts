import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubernetesObject } from '#ports';
import { addGates } from '../gates/add-gates.ts';
import { objectsOf } from '../model/objects-of.ts';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { yamlFiles } from './yaml-files.ts';

const rendered = addGates(tinySite({ nightly: true }), TINY, 'registry.test/gate@sha256:0');
const files = yamlFiles(rendered, TINY);
const read = (path: string): unknown => parse(files.find((file) => file.path === path)!.text);
const resources = (path: string): readonly string[] =>
  (read(path) as { readonly resources: readonly string[] }).resources;

it('writes the objects of the render, with annotations for Argo CD and Flux only', () => {
  const written = resources('kustomization.yaml').flatMap((folder) =>
    resources(`${folder}/kustomization.yaml`).map((file) => read(`${folder}/${file}`)),
  ) as KubernetesObject[];
  const without = written.map((object) => {
    const { annotations, ...metadata } = object.metadata;
    const own = Object.entries(annotations!).filter(([key]) => !/argoproj|fluxcd/.test(key));
    return {
      ...object,
      metadata: {
        ...metadata,
        ...(own.length > 0 ? { annotations: Object.fromEntries(own) } : {}),
      },
    };
  });
  expect(without).toEqual(objectsOf(rendered));
  expect(yamlFiles(rendered, TINY)).toEqual(files);
});

it('orders the objects by sync waves, and keeps claims and the namespace', () => {
  const annotations = (path: string): unknown =>
    (read(path) as KubernetesObject).metadata.annotations;
  expect(annotations('wave-01/statefulset-base.yaml')).toMatchObject({
    'argocd.argoproj.io/sync-wave': '1',
  });
  for (const path of ['namespace-cloud', 'persistentvolumeclaim-base-dumps'])
    expect(annotations(`foundation/${path}.yaml`)).toEqual({
      'argocd.argoproj.io/sync-wave': '-1',
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    });
});

it('has one Kustomization of Flux, so a workload whose wave changes is not pruned', () => {
  expect(read('flux.yaml')).toMatchObject({
    kind: 'Kustomization',
    metadata: { name: 'tiny' },
    spec: { path: './', prune: true, sourceRef: { kind: 'GitRepository', name: 'tiny' } },
  });
});

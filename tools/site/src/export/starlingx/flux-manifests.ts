import type { KubernetesObject } from '#ports';
import type { ExportFile } from '../export-file.ts';
import { yamlText } from '#formats';
import type { ApplicationChart } from './application.ts';

/** StarlingX's repository of the charts that users upload, and its address on the platform. */
const REPOSITORY = 'starlingx';
const REPOSITORY_URL = `http://192.168.206.1:8080/helm_charts/${REPOSITORY}`;
const FOLDER = 'fluxcd-manifests';
/** A gate waits for up to an hour. */
const TIMEOUT = '70m';

/**
 * `fluxcd-manifests/`: a base, and a folder with a HelmRelease and its values for each chart.
 * StarlingX writes its registry into the static values, and user overrides into the system values.
 * The first chart has the accounts and namespaces that the others use.
 */
export function fluxManifests(
  charts: readonly ApplicationChart[],
  namespace: KubernetesObject,
): ExportFile[] {
  const [first] = charts;
  const { name } = namespace.metadata;
  return [
    {
      path: 'kustomization.yaml',
      text: kustomization({
        namespace: name,
        resources: ['base', ...charts.map((chart) => chart.name)],
      }),
    },
    {
      path: 'base/kustomization.yaml',
      text: kustomization({ resources: ['helmrepository.yaml', 'namespace.yaml'] }),
    },
    {
      path: 'base/helmrepository.yaml',
      text: yamlText({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'HelmRepository',
        metadata: { name: REPOSITORY },
        spec: { url: REPOSITORY_URL, interval: '1m' },
      }),
    },
    { path: 'base/namespace.yaml', text: yamlText(namespace) },
    ...charts.flatMap((chart) =>
      chartFolder(chart, chart === first ? [] : [first!.name]).map(({ path, text }) => ({
        path: `${chart.name}/${path}`,
        text,
      })),
    ),
  ].map(({ path, text }) => ({ path: `${FOLDER}/${path}`, text }));
}

function chartFolder(chart: ApplicationChart, dependsOn: readonly string[]): ExportFile[] {
  const { name, version, images } = chart;
  const values = ['static', 'system'].map((kind) => `${name}-${kind}-overrides`);
  return [
    {
      path: 'kustomization.yaml',
      text: kustomization({
        resources: ['helmrelease.yaml'],
        secretGenerator: values.map((each) => ({ name: each, files: [`${each}.yaml`] })),
        generatorOptions: { disableNameSuffixHash: true },
      }),
    },
    {
      path: 'helmrelease.yaml',
      text: yamlText({
        apiVersion: 'helm.toolkit.fluxcd.io/v2',
        kind: 'HelmRelease',
        metadata: { name },
        spec: {
          releaseName: name,
          chart: {
            spec: {
              chart: name,
              version,
              sourceRef: { kind: 'HelmRepository', name: REPOSITORY },
            },
          },
          interval: '1m',
          timeout: TIMEOUT,
          ...(dependsOn.length === 0
            ? {}
            : { dependsOn: dependsOn.map((each) => ({ name: each })) }),
          valuesFrom: values.map((each) => ({
            kind: 'Secret',
            name: each,
            valuesKey: `${each}.yaml`,
          })),
        },
      }),
    },
    {
      path: `${name}-static-overrides.yaml`,
      text: yamlText(Object.keys(images).length === 0 ? {} : { images: { tags: images } }),
    },
    { path: `${name}-system-overrides.yaml`, text: '{}\n' },
  ];
}

function kustomization(content: object): string {
  return yamlText({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    ...content,
  });
}

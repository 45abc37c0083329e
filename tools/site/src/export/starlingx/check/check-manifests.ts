import { isRecord } from '#core';
import type { CheckedChart } from './check-charts.ts';
import type { Findings } from './findings.ts';
import type { ApplicationContent } from './read-application.ts';
import { mappingIn, valueAt, type Mapping } from './yaml-of.ts';

const FOLDER = 'fluxcd-manifests';
const REPOSITORIES = ['starlingx', 'stx-platform'];

/** A HelmRelease of an application. */
export interface CheckedRelease {
  readonly name: string;
  readonly path: string;
  /** The chart that Flux installs, if the tarball has it. */
  readonly chart?: CheckedChart;
  readonly staticValues: Mapping;
}

/** The rules of `fluxcd-manifests/`. Returns the releases that can be read. */
export function checkManifests(
  content: ApplicationContent,
  charts: readonly CheckedChart[],
  found: Findings,
): readonly CheckedRelease[] {
  const path = `${FOLDER}/kustomization.yaml`;
  const hasBase = [...content.files.keys()].some((file) => file.startsWith(`${FOLDER}/base/`));
  if (!content.files.has(path) || !hasBase) {
    found.error(
      'manifests',
      FOLDER,
      'it needs kustomization.yaml and the folder base',
      'write it as `ccp export tarball` does',
    );
    return [];
  }
  const base = `${FOLDER}/base/helmrepository.yaml`;
  const repository = mappingIn(content, base, { rule: 'repository', found });
  if (repository !== undefined) {
    const last = String(valueAt(repository, 'spec', 'url'))
      .split('/')
      .at(-1)!;
    if (!REPOSITORIES.includes(last))
      found.error(
        'repository',
        base,
        `spec.url does not end with one of: ${REPOSITORIES.join(', ')}`,
        'use http://192.168.206.1:8080/helm_charts/starlingx',
      );
    if (typeof valueAt(repository, 'metadata', 'name') !== 'string')
      found.error('repository', base, 'metadata.name is missing', 'use starlingx');
  }
  const top = mappingIn(content, path, { rule: 'manifests', found });
  if (top === undefined) return [];
  if (typeof top['namespace'] !== 'string')
    found.error(
      'namespace',
      path,
      'it has no namespace, so StarlingX uses "default"',
      'set the namespace of the application',
    );
  const { resources } = top;
  if (!Array.isArray(resources)) {
    found.error(
      'manifests',
      path,
      'resources is not a list',
      'list base and the folder of each chart',
    );
    return [];
  }
  if (!resources.includes('base'))
    found.error('manifests', path, 'resources lacks base', 'list it first');
  return (resources as readonly unknown[])
    .filter((name): name is string => typeof name === 'string' && name !== 'base')
    .flatMap((name) => checkRelease(`${FOLDER}/${name}`, content, charts, found));
}

function checkRelease(
  folder: string,
  content: ApplicationContent,
  charts: readonly CheckedChart[],
  found: Findings,
): readonly CheckedRelease[] {
  const path = `${folder}/helmrelease.yaml`;
  const release = mappingIn(content, path, { rule: 'release', found });
  const kustomization = mappingIn(content, `${folder}/kustomization.yaml`, {
    rule: 'release',
    found,
  });
  if (release === undefined) return [];
  const text = (...keys: readonly string[]): string | undefined => {
    const value = valueAt(release, ...keys);
    if (typeof value === 'string' && value !== '') return value;
    found.error(
      'release',
      path,
      `${keys.join('.')} is missing or not a text`,
      'set it, in quotes if it looks like a number',
    );
    return undefined;
  };
  const name = text('metadata', 'name');
  text('spec', 'releaseName');
  const of = {
    name: text('spec', 'chart', 'spec', 'chart'),
    version: text('spec', 'chart', 'spec', 'version'),
  };
  const chart = charts.find((each) => each.name === of.name && each.version === of.version);
  if (chart === undefined && of.name !== undefined && of.version !== undefined)
    found.error(
      'release-chart',
      path,
      `charts/ has no chart ${of.name} ${of.version}`,
      'add the chart, or correct spec.chart.spec',
    );
  const staticValues = checkValues(folder, { release, kustomization }, content, found);
  if (name === undefined) return [];
  return [{ name, path, staticValues, ...(chart === undefined ? {} : { chart }) }];
}

/** `spec.valuesFrom`: the first entry for static overrides must be a file of the folder. */
function checkValues(
  folder: string,
  {
    release,
    kustomization,
  }: { readonly release: Mapping; readonly kustomization: Mapping | undefined },
  content: ApplicationContent,
  found: Findings,
): Mapping {
  const path = `${folder}/helmrelease.yaml`;
  const values = valueAt(release, 'spec', 'valuesFrom');
  const entries = Array.isArray(values) ? values.filter(isRecord) : [];
  const made = generated(kustomization);
  for (const { name, valuesKey } of entries)
    if (kustomization !== undefined && !made.has(`${String(name)}/${String(valuesKey)}`))
      found.error(
        'values',
        path,
        `kustomization.yaml generates no Secret or ConfigMap ${String(name)} with the file ${String(valuesKey)}`,
        'add it to secretGenerator',
      );
  if (kustomization !== undefined && entries.length > 0 && !keepsNames(kustomization))
    found.error(
      'values',
      `${folder}/kustomization.yaml`,
      'generated names get a hash',
      'set generatorOptions.disableNameSuffixHash to true',
    );
  const entry = entries.find(({ valuesKey }) =>
    String(valuesKey).endsWith('static-overrides.yaml'),
  );
  if (entry === undefined) {
    found.error(
      'values',
      path,
      'spec.valuesFrom has no valuesKey that ends with static-overrides.yaml',
      'add one, even if the file is empty',
    );
    return {};
  }
  const file = `${folder}/${String(entry['valuesKey'])}`;
  if (content.files.has(file) && Buffer.from(content.files.get(file)!).toString().trim() === '')
    return {};
  return mappingIn(content, file, { rule: 'values', found }) ?? {};
}

/** `NAME/FILE` of the Secrets and ConfigMaps that a kustomization generates. */
function generated(kustomization: Mapping | undefined): ReadonlySet<string> {
  return new Set(
    ['secretGenerator', 'configMapGenerator'].flatMap((generator) => {
      const list = kustomization?.[generator];
      return (Array.isArray(list) ? list : []).filter(isRecord).flatMap(({ name, files }) =>
        (Array.isArray(files) ? files : []).map((file) => {
          const [key] = String(file).split('=');
          return `${String(name)}/${key!.split('/').at(-1)}`;
        }),
      );
    }),
  );
}

function keepsNames(kustomization: Mapping): boolean {
  return valueAt(kustomization, 'generatorOptions', 'disableNameSuffixHash') === true;
}

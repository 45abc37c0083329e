import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Site } from '#definitions';
import { readAppSpecs, readSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { parseImageSet } from '#release';
import {
  addGates,
  bind,
  boundOrThrow,
  chartFiles,
  gateImage,
  isApplySet,
  objectsOf,
  render,
  type SiteInput,
} from '#site';
import { REPOSITORY } from '../helpers/ccp.ts';
import { byName } from '../helpers/chart-objects.ts';
import { buildHelm, HELM_VERSIONS } from '../helpers/helm.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';

const names = readdirSync(join(REPOSITORY, 'images'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
  .map(({ name }) => name);
const appSpecs = readAppSpecs(REPOSITORY);
const imageSet = parseImageSet(missingImageSet(names), 'the image set');

const inputOf = (name: string, change: (site: Site) => Partial<Site> = () => ({})): SiteInput => {
  const site = readSite(REPOSITORY, name);
  return { site: { ...site, ...change(site) }, appSpecs, imageSet };
};

/** The objects that Helm must make: those of the render, without the namespace and the ApplySet. */
function wanted(input: SiteInput): ReadonlyMap<string, KubernetesObject> {
  const rendered = addGates(render(boundOrThrow(bind(input))), input.site, gateImage(input));
  return byName(
    objectsOf(rendered).filter(
      (object) =>
        !isApplySet(object, input.site) &&
        !(object.kind === 'Namespace' && object.metadata.name === input.site.namespace),
    ),
  );
}

function writeChart(input: SiteInput): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-chart-'));
  for (const { path, text } of chartFiles(boundOrThrow(bind(input)), input, '2026.1.0')) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe.each(HELM_VERSIONS)('Helm %i', (major) => {
  let helm: string;
  beforeAll(async () => {
    helm = await buildHelm(() => undefined, major);
  }, 1_800_000);

  const run = (...args: readonly string[]): string =>
    execFileSync(helm, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' });
  const template = (chart: string, namespace: string, ...args: readonly string[]) =>
    byName(
      parseAllDocuments(
        run(
          'template',
          'a',
          chart,
          '--namespace',
          namespace,
          '--skip-tests',
          // A Helm from Go modules assumes Kubernetes 1.20.
          '--kube-version',
          '1.36.0',
          ...args,
        ),
        { version: '1.1' },
      )
        .map((document) => document.toJS() as KubernetesObject | null)
        .filter((object) => object !== null),
    );

  it.each(['example', 'cloud'])(
    'makes the objects of the render of %s, and has no complaint about the chart',
    { timeout: 900_000 },
    (name) => {
      const input = inputOf(name);
      const chart = writeChart(input);
      expect(run('lint', '--strict', chart, '--namespace', input.site.namespace)).toContain(
        '1 chart(s) linted, 0 chart(s) failed',
      );
      const objects = template(chart, input.site.namespace);
      expect([...objects.keys()]).toEqual([...wanted(input).keys()]);
      expect(objects).toEqual(wanted(input));
    },
  );

  it('makes the objects of a site with other values', { timeout: 900_000 }, () => {
    const changed = inputOf('example', ({ apps, storage }) => ({
      registry: 'registry.other/ccp',
      storage: { ...storage, database: 'faster' },
      apps: {
        ...apps,
        keystone: {
          ...apps['keystone'],
          replicas: { api: 5 },
          settings: { processes: 11 },
          resources: { api: { api: { requests: { cpu: '1500m' } } } },
        },
        rabbitmq: { ...apps['rabbitmq'], settings: { memory: '700MiB' } },
      },
    }));
    const set = {
      'global.images.registry': 'registry.other/ccp',
      'global.storage.database': 'faster',
      'keystone.replicas.api': 5,
      'keystone.settings.processes': 11,
      'keystone.resources.api.api.requests.cpu': '1500m',
      'rabbitmq.settings.memory': '700MiB',
    };
    const objects = template(
      writeChart(inputOf('example')),
      'openstack',
      ...Object.entries(set).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
    );
    expect(objects).toEqual(wanted(changed));
  });

  it('refuses another namespace and unknown values', { timeout: 900_000 }, () => {
    const chart = writeChart(inputOf('example'));
    expect(() => template(chart, 'other')).toThrow(
      'this chart is for the namespace openstack, not other',
    );
    expect(() => template(chart, 'openstack', '--set', 'keystone.replicas.web=2')).toThrow(
      /additional properties|Additional property/,
    );
  });
});

import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readAppSpecs, readSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { parseImageSet } from '#release';
import {
  addGates,
  bind,
  boundOrThrow,
  gateImage,
  isApplySet,
  objectsOf,
  render,
  type SiteInput,
} from '#site';
import { connectRegistry, openStore } from '#store';
import { faultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';
import { EXAMPLE_IMAGES, exampleWorkspace } from '../helpers/example-workspace.ts';
import { byName } from '../helpers/chart-objects.ts';
import { buildHelm, buildKustomize, HELM_VERSIONS } from '../helpers/helm.ts';
import { storedImageSet } from '../helpers/stored-image-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const NAMES = [...EXAMPLE_IMAGES, 'gate'];
const CHARTS = ['example-common', 'keystone', 'mariadb', 'memcached', 'rabbitmq'];
let workspace: TestWorkspace;
let folder: string;
let input: SiteInput;

beforeAll(async () => {
  ({ workspace } = exampleWorkspace());
  const text = await storedImageSet(workspace.root, NAMES);
  workspace.write('set.json', text);
  input = {
    site: readSite(workspace.root, 'example'),
    appSpecs: readAppSpecs(workspace.root),
    imageSet: parseImageSet(text, 'set.json'),
  };
  folder = mkdtempSync(join(tmpdir(), 'ccp-tarball-'));
  const set = join(workspace.root, 'set.json');
  const file = join(folder, 'example.tgz');
  const line = ['export', 'tarball', 'example', '--set', set, '-o', file, '--images'];
  expect(await runInProcess(workspace.root, line)).toMatchObject({ exitCode: 0 });
  // As StarlingX unpacks it.
  const unpack = (archive: string, into: string): unknown =>
    execFileSync('tar', [
      '-xf',
      archive,
      '-m',
      '--no-same-owner',
      '--no-same-permissions',
      '-C',
      into,
    ]);
  unpack(file, folder);
  const charts = join(folder, 'charts');
  for (const archive of readdirSync(charts)) unpack(join(charts, archive), charts);
}, 60_000);
afterAll(() => {
  workspace?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const run = (program: string, ...args: readonly string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' });

/** Runs a program while this process serves a registry; throws its error output. */
async function runBeside(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, args, { timeout: 60_000 });
}

function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1' })
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

describe.each(HELM_VERSIONS)('Helm %i', (major) => {
  let helm: string;
  beforeAll(async () => {
    helm = await buildHelm(() => undefined, major);
  }, 1_800_000);

  it.each(CHARTS)('has no complaint about the chart %s', (name) => {
    expect(run(helm, 'lint', '--strict', join(folder, 'charts', name))).toContain(
      '1 chart(s) linted, 0 chart(s) failed',
    );
  });

  it('makes the objects of the render from all charts, if images are named by digest', () => {
    const digests = (name: string): readonly string[] =>
      input.imageSet.images
        .flatMap((image) => [
          '--set',
          `images.tags.${image.name}=${input.site.registry}/${image.name}@${image.digest}`,
        ])
        .filter((_, index, all) =>
          usedBy(name).has(all[index | 1]!.split('=')[0]!.slice('images.tags.'.length)),
        );
    const made = CHARTS.flatMap((name) =>
      objectsIn(
        run(
          helm,
          'template',
          name,
          join(folder, 'charts', name),
          '--namespace',
          'openstack',
          '--skip-tests',
          '--kube-version',
          '1.36.0',
          ...digests(name),
        ),
      ),
    );
    const rendered = addGates(render(boundOrThrow(bind(input))), input.site, gateImage(input));
    const wanted = objectsOf(rendered).filter(
      (object) =>
        !isApplySet(object, input.site) &&
        !(object.kind === 'Namespace' && object.metadata.name === 'openstack'),
    );
    expect(byName(made)).toEqual(byName(wanted));
  });

  it('uses tags by default, and the registry of StarlingX in an override', () => {
    const template = (...args: readonly string[]): string =>
      run(
        helm,
        'template',
        'keystone',
        join(folder, 'charts/keystone'),
        '--namespace',
        'openstack',
        '--kube-version',
        '1.36.0',
        ...args,
      );
    const { version } = input.imageSet.images[0]!;
    const reference = `registry.example.org/ccp/keystone:${version}`;
    expect(template()).toContain(`image: "${reference}"`);
    expect(template()).not.toContain('@sha256:');
    const local = template('--set', `images.tags.keystone=registry.local:9001/${reference}`);
    expect(local).toContain(`image: "registry.local:9001/${reference}"`);
  });

  /** Images in the values of a chart. */
  function usedBy(name: string): ReadonlySet<string> {
    const [values] = objectsIn(run(helm, 'show', 'values', join(folder, 'charts', name)));
    return new Set(Object.keys((values as never as { images: { tags: object } }).images.tags));
  }
});

describe('load-images.sh', () => {
  it('loads the images with skopeo, to the names that StarlingX looks for', async () => {
    const store = await openStore({ folder: join(folder, 'registry') });
    const registry = await faultyProxy(store);
    try {
      await runBeside(join(folder, 'example-images/load-images.sh'), [
        registry.address,
        ...['--dest-tls-verify=false', '--quiet'],
      ]);
      const client = await connectRegistry({ host: registry.address });
      for (const { name, version, digest } of input.imageSet.images)
        expect(await client.manifestDigest(`${input.site.registry}/${name}`, version), name).toBe(
          digest,
        );
    } finally {
      await registry.close();
      await store.close();
    }
  });
});

describe('kustomize', () => {
  let kustomize: string;
  beforeAll(async () => {
    kustomize = await buildKustomize(() => undefined);
  }, 1_800_000);
  const build = (path: string) => objectsIn(run(kustomize, 'build', join(folder, path)));

  it('builds the folder of each chart, and all of them in one namespace', () => {
    for (const name of CHARTS)
      expect(
        build(`fluxcd-manifests/${name}`).map(({ kind, metadata }) => `${kind}/${metadata.name}`),
      ).toEqual([
        `Secret/${name}-static-overrides`,
        `Secret/${name}-system-overrides`,
        `HelmRelease/${name}`,
      ]);
    const all = build('fluxcd-manifests');
    expect(all).toHaveLength(2 + 3 * CHARTS.length);
    for (const { kind, metadata } of all)
      expect(metadata.namespace).toBe(kind === 'Namespace' ? undefined : 'openstack');
  });

  it('builds the folder of `ccp export yaml` to the objects of the render', async () => {
    const set = ['--set', join(workspace.root, 'set.json')];
    const line = ['export', 'yaml', 'example', ...set, '-o', join(folder, 'manifests')];
    expect(await runInProcess(workspace.root, line)).toMatchObject({ exitCode: 0 });
    const rendered = addGates(render(boundOrThrow(bind(input))), input.site, gateImage(input));
    const names = (objects: readonly KubernetesObject[]): readonly string[] =>
      objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}`).sort();
    expect(names(build('manifests'))).toEqual(names(objectsOf(rendered)));
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import type { KubernetesObject } from '#ports';
import { parseImageSet, type ImageSet } from '#release';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore } from '#store';
import { buildImages } from '../build-images.ts';
import { REPOSITORY } from '../ccp.ts';
import { openPodRunner, type PodRunner } from './pod-runner.ts';

/** A site of built images on the test's engine. */
export interface EngineSite {
  readonly engine: DockerEngine;
  readonly site: RenderedSite;
  readonly objects: readonly KubernetesObject[];
  readonly pods: PodRunner;
  /**
   * The same site with other `apps`, or of another series that was built. Its objects can also run.
   */
  layOut(apps: string, series?: string): RenderedSite;
  /** Folder for files of the test. */
  readonly folder: string;
  /** Reference from which the engine can pull an image of the set. */
  imageOf(name: string): string;
  /** An object of the site by kind and name. */
  object(kind: string, name: string): KubernetesObject;
  close(): Promise<void>;
}

const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';

/**
 * Builds `images` of each series and opens a site of the first series with `apps` in flow YAML. If
 * the site has Secrets, runs the job that creates them.
 */
export async function openEngineSite(
  images: readonly string[],
  apps: string,
  [first, ...others]: readonly [string, ...string[]] = [SERIES],
): Promise<EngineSite> {
  for (const series of [first, ...others]) await buildImages(series, 'openstack-base', ...images);
  const state = join(REPOSITORY, '.ccp');
  const setOf = (series: string): ImageSet =>
    parseImageSet(readFileSync(join(state, 'sets', `${series}.json`), 'utf8'), 'the image set');
  const store = await serveStore({ folder: join(state, 'store') });
  const engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  const textOf = (of: string, series: string): string => `
schema: 1.2.0
cluster: { context: none }
namespace: openstack
series: "${series}"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled], compute: [openstack-compute-node=enabled], network: [openstack-network-node=enabled], openvswitch: [openvswitch=enabled] }
storage: { default: standard }
apps: ${of}
`;
  const objects: KubernetesObject[] = [];
  const layOut = (of: string, series = first): RenderedSite => {
    const rendered = renderChecked({
      site: parseSite(textOf(of, series), 'site.yaml', 'test'),
      appSpecs: readAppSpecs(REPOSITORY),
      imageSet: setOf(series),
    });
    objects.push(...rendered.foundation, ...rendered.steps.flatMap((step) => step.objects));
    return rendered;
  };
  const site = layOut(apps);
  const imageOf = (name: string): string =>
    `${store.address}/${name}@${setOf(first).images.find((image) => image.name === name)!.digest}`;
  const folder = mkdtempSync(join(tmpdir(), 'ccp-site-'));
  const pods = await openPodRunner(engine, objects, imageOf('openstack-base'));
  for (const job of site.steps.find(({ id }) => id === 'secrets')?.objects ?? [])
    await pods.finish(job);
  return {
    engine,
    site,
    objects,
    pods,
    layOut,
    folder,
    imageOf,
    object: (kind, name) =>
      objects.find((object) => object.kind === kind && object.metadata.name === name)!,
    async close() {
      await pods.close();
      await engine.untagAll([`${store.address}/`]);
      await engine.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

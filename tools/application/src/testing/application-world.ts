import { CcpError, isRecord } from '#core';
import type { Cluster } from '#ports';
import { tinyWorld, type TinyWorld } from '#rollout/testing';
import { TINY, tinySite, type TinySite } from '#site/testing';
import type { ApplicationRecord } from '../record/record.ts';
import { readRecord } from '../record/store.ts';
import type { ApplicationEngine, RenderApplication } from '../session/engine.ts';
import { applyApplication, type Applied, type ApplySteps } from '../verbs/apply.ts';
import { updateApplication } from '../verbs/update.ts';
import { uploadApplication, type UploadedApplication } from '../verbs/upload.ts';

/** The application of the tiny site. */
export const APP = 'tiny-app';

/** An in-memory cluster with an application, and the verbs on it. */
export interface ApplicationWorld extends TinyWorld {
  /** Lines of progress. */
  readonly notes: string[];
  /** Names of the steps that ran. */
  readonly ran: string[];
  readonly steps: ApplySteps;
  engine(through?: Cluster, signal?: AbortSignal): ApplicationEngine;
  upload(site: TinySite, version?: string, through?: Cluster): Promise<ApplicationRecord>;
  applyApp(steps?: Partial<ApplySteps>, through?: Cluster): Promise<Applied>;
  update(
    site: TinySite,
    version: string,
    more?: Partial<UploadedApplication> & { readonly reuseOverrides?: boolean },
    through?: Cluster,
  ): Promise<Applied>;
  record(): Promise<ApplicationRecord>;
  /** Adds a node with labels. */
  node(name: string, labels: Readonly<Record<string, string>>): void;
}

/** The site is the JSON of `TinySite`; the overrides of `base` change its replicas. */
export const renderTiny: RenderApplication = (name, { site = '{}' }, overrides) => {
  const { bases = 2, spread = 'preferred', ...wanted } = JSON.parse(site) as TinySite;
  const replicas = overrides['base']?.['replicas'];
  const given = isRecord(replicas) ? replicas['base'] : bases;
  if (typeof given !== 'number')
    throw new CcpError({ code: 'application-overrides', message: `${name} refuses its overrides` });
  return {
    site: TINY,
    rendered: tinySite({ ...wanted, bases: given, spread }),
    rules: [],
    roles: { any: ['role=any', 'any-role'] },
    needed: ['any'],
    workloads: [
      { instance: 'base', workload: 'base', role: 'any', replicas: given, odd: false, spread },
    ],
    charts: ['base', 'web'],
  };
};

/** A tarball of the tiny site. */
export function tinyTarball(site: TinySite, version = '1.0-0'): UploadedApplication {
  return {
    name: APP,
    version,
    sources: () => ({ site: JSON.stringify(site) }),
    upgrades: { staysFailed: false },
    kubernetes: {},
    keepsOverrides: true,
  };
}

export function applicationWorld(like?: ApplicationWorld): ApplicationWorld {
  const world = tinyWorld(like === undefined ? {} : { like });
  const { cluster, clock } = world;
  const [notes, ran]: [string[], string[]] = [[], []];
  let runs = 0;
  const engine: ApplicationWorld['engine'] = (through = cluster, signal) => ({
    cluster: through,
    by: 'tester@host',
    run: `run ${++runs}`,
    clock,
    emit: () => undefined,
    note: (text) => void notes.push(text),
    ...(signal === undefined ? {} : { signal }),
  });
  const steps: ApplySteps = {
    render: renderTiny,
    check: async () => void ran.push('check'),
    prepare: async () => void ran.push('prepare'),
    complete: async () => void ran.push('complete'),
  };
  return {
    ...world,
    notes,
    ran,
    steps,
    engine,
    upload: async (site, version, through) =>
      await uploadApplication(engine(through), tinyTarball(site, version), renderTiny),
    applyApp: async (given = {}, through) =>
      await applyApplication(engine(through), APP, { ...steps, ...given }),
    update: async (site, version, { reuseOverrides, ...more } = {}, through) =>
      await updateApplication(
        engine(through),
        { ...tinyTarball(site, version), ...more },
        { ...steps, ...(reuseOverrides === undefined ? {} : { reuseOverrides }) },
      ),
    record: async () => {
      const found = await readRecord(cluster, APP);
      if (found === undefined) throw new Error(`${APP} has no record`);
      return found;
    },
    node: (name, labels) =>
      void cluster.store.put(
        { apiVersion: 'v1', kind: 'Node', name },
        { object: { metadata: { labels } }, owners: [] },
      ),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesObject, LiveObject } from '#ports';
import { IDENTITY_IMAGES, IDENTITY_SITE, tokenOf } from '../helpers/cluster/identity-site.ts';
import { namespace, startNodeCluster, type NodeCluster } from '../helpers/cluster/node-cluster.ts';
import { seededRandom } from '../helpers/random.ts';

const IS_ROOT = process.getuid?.() === 0;
const MINUTE = 60_000;

let node: NodeCluster;
let objects: readonly KubernetesObject[];

beforeAll(async () => {
  if (!IS_ROOT) return;
  node = await startNodeCluster(IDENTITY_IMAGES, 'gated', (workspace) =>
    workspace.write('deploy-specs/gated/site.yaml', IDENTITY_SITE),
  );
  objects = JSON.parse(
    await node.done('render', 'gated', '--gates', '--json'),
  ) as readonly KubernetesObject[];
});
afterAll(async () => {
  await node?.stop();
});

async function waitFor(what: string, isDone: () => Promise<boolean>): Promise<void> {
  for (const limit = Date.now() + 15 * MINUTE; Date.now() < limit; await delay(2000))
    if (await isDone()) return;
  throw new Error(`${what} took more than 15 minutes`);
}

interface Status {
  readonly readyReplicas?: number;
  readonly failed?: number;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly containerStatuses?: readonly { readonly restartCount: number }[];
  readonly initContainerStatuses?: readonly { readonly restartCount: number }[];
}
const statusOf = (object: LiveObject | undefined): Status => (object?.['status'] ?? {}) as Status;

const live = async ({ apiVersion, kind, metadata }: KubernetesObject) =>
  statusOf(await node.cluster.get({ apiVersion, kind, namespace, name: metadata.name }));

async function isRunning(object: KubernetesObject): Promise<boolean> {
  const status = await live(object);
  return object.kind === 'Job'
    ? status.conditions?.some(({ type, status: is }) => type === 'Complete' && is === 'True') ===
        true
    : (status.readyReplicas ?? 0) >= 1;
}

async function shuffledApply(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const [first, rest] = [
    objects.filter(({ kind }) => kind === 'Namespace'),
    objects
      .filter(({ kind }) => kind !== 'Namespace')
      .map((object) => ({ object, place: random.int(1_000_000) }))
      .sort((a, b) => a.place - b.place)
      .map(({ object }) => object),
  ];
  for (const object of [...first, ...rest])
    expect(await node.cluster.apply(object, { fieldManager: 'kubectl' })).toMatchObject({
      outcome: 'applied',
    });
}

describe.runIf(IS_ROOT)('a site with gates (skipped without root)', () => {
  it.each([1, 2, 3])(
    'comes up from one apply in any order, without a failed pod: order %i',
    { timeout: 30 * MINUTE },
    async (seed) => {
      await shuffledApply(seed);
      const awaited = objects.filter(({ kind }) => /^(Job|Deployment|StatefulSet)$/.test(kind));
      await waitFor('the site', async () =>
        (await Promise.all(awaited.map(isRunning))).every(Boolean),
      );
      const jobs = objects.filter(({ kind }) => kind === 'Job');
      const failed = await Promise.all(jobs.map(async (job) => (await live(job)).failed ?? 0));
      expect(failed).toEqual(jobs.map(() => 0));
      const pods = await node.cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace });
      const restarts = pods.items
        .map(statusOf)
        .flatMap((status) =>
          [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])].map(
            ({ restartCount }) => restartCount,
          ),
        );
      expect(restarts.filter((count) => count > 0)).toEqual([]);
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
      await node.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
      await waitFor(
        'the deletion of the namespace',
        async () =>
          (await node.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: namespace })) ===
          undefined,
      );
    },
  );
});

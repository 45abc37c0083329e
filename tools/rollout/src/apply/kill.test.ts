import { describe, expect, it } from 'vitest';
import type { Cluster } from '#ports';
import { TINY, tinySite } from '#site/testing';
import { readRecords } from '../record/record-store.ts';
import { findRollback } from '../record/rollback.ts';
import { endState, killingCluster } from '../testing/killing-cluster.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import type { DeployResult } from './apply-plan.ts';
import { deleteSite } from './delete-site.ts';

type Run = (world: TinyWorld, cluster?: Cluster) => Promise<Pick<DeployResult, 'state'>>;

const install: Run = (world, cluster) => world.apply(tinySite(), {}, cluster);
const upgrade: Run = (world, cluster) =>
  world.apply(tinySite({ release: 'two', colour: 'blue', bases: 3 }), {}, cluster);
const rollback: Run = async (world, cluster = world.cluster) => {
  // After a good rollback, another rollback would be a new request; a killed run only missed its
  // end.
  const latest = (await readRecords(cluster, TINY)).at(-1);
  const { record, rendered } = await findRollback(
    cluster,
    TINY,
    latest?.state === 'good' ? latest.rollbackTo : undefined,
  );
  return await world.apply(rendered, { rollbackTo: record.revision }, cluster);
};

const remove =
  (claims: boolean): Run =>
  async (world, cluster = world.cluster) => {
    const { failures } = await deleteSite(cluster, TINY, {
      by: 'tester@host',
      run: 'run',
      clock: world.clock,
      emit: () => undefined,
      claims,
      secrets: claims,
    });
    return { state: failures.length === 0 ? 'good' : 'failed' };
  };
/** The cluster's own claims of the StatefulSet, and what its Secrets job would have made. */
const fill: Run = async (world) => {
  const labels = {
    'app.kubernetes.io/name': 'base',
    'app.kubernetes.io/instance': 'base',
    'app.kubernetes.io/component': 'base',
  };
  const at = (kind: string, name: string) => ({
    apiVersion: 'v1',
    kind,
    namespace: TINY.namespace,
    name,
  });
  world.cluster.store.put(at('PersistentVolumeClaim', 'data-base-0'), {
    object: { metadata: { labels } },
    owners: [],
  });
  world.cluster.store.put(at('Secret', 'web-database'), { object: { metadata: {} }, owners: [] });
  return { state: 'good' };
};
const left = (world: TinyWorld): string[] =>
  Object.keys(endState(world.cluster))
    .filter((key) => !/^(Namespace|Event)/.test(key))
    .sort();

/**
 * Number of kills after which `run`, done once more, ended as it ends undisturbed. Killed before
 * write n is killed after write n - 1.
 */
async function survivedKills(
  before: readonly Run[],
  run: Run,
  ended: RegExp = /^(good|unchanged)$/,
): Promise<number> {
  const prepared = tinyWorld();
  for (const each of before) await each(prepared);
  const whole = tinyWorld({ like: prepared });
  expect((await run(whole)).state).toMatch(ended);
  const wanted = endState(whole.cluster);
  for (let at = 0; ; at++) {
    const world = tinyWorld({ like: prepared });
    const { cluster, killed } = killingCluster(world.cluster, at);
    await run(world, cluster).catch(() => undefined);
    if (!killed()) return at;
    expect((await run(world)).state, `killed after write ${at}`).toMatch(ended);
    expect(endState(world.cluster), `killed after write ${at}`).toEqual(wanted);
  }
}

describe('a run that is killed after any of its writes, and run again', () => {
  it('reaches the end state of an install', { timeout: 60_000 }, async () => {
    expect(await survivedKills([], install)).toBeGreaterThan(30);
  });

  it('reaches the end state of an upgrade', { timeout: 60_000 }, async () => {
    expect(await survivedKills([install], upgrade)).toBeGreaterThan(15);
  });

  it.each([
    [false, ['PersistentVolumeClaim/data-base-0', 'Secret/web-database']],
    [true, []],
  ] as const)(
    'ends where a deletion ends (with claims and Secrets: %s)',
    { timeout: 60_000 },
    async (claims, expected) => {
      const world = tinyWorld();
      for (const each of [install, fill, upgrade, remove(claims)]) await each(world);
      expect(left(world)).toEqual(expected);
      expect(
        await survivedKills(claims ? [install, fill, upgrade] : [install, fill], remove(claims)),
      ).toBeGreaterThan(25);
    },
  );

  it(
    'ends where a site ends whose hosts move from Ingresses to a Gateway',
    { timeout: 60_000 },
    async () => {
      const ingress: Run = (world) => world.apply(tinySite({ expose: { ingress: {} } }));
      const gateway: Run = (world, cluster) =>
        world.apply(
          tinySite({ expose: { gateway: { class: 'shiny' } }, tls: { secret: 'certificate' } }),
          {},
          cluster,
        );
      expect(await survivedKills([ingress], gateway)).toBeGreaterThan(8);
    },
  );

  it('reaches the end state of agents in another namespace', { timeout: 60_000 }, async () => {
    const agents = { agent: 'one', onNode: true, web: false } as const;
    const before: Run = (world) =>
      world.apply(tinySite({ ...agents, nodeNamespace: TINY.namespace }));
    const move: Run = (world, cluster) => world.apply(tinySite(agents), {}, cluster);
    expect(await survivedKills([before], move)).toBeGreaterThan(20);
  });

  it('reaches the end state of a rollback', { timeout: 60_000 }, async () => {
    expect(await survivedKills([install, upgrade], rollback)).toBeGreaterThan(10);
  });
});

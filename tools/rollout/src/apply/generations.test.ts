import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import type { LiveObject } from '#ports';
import type { RenderedSite } from '#site';
import { appText, renderChecked, siteInputs, TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { readGeneration } from '../record/read-generation.ts';
import { readNewest } from '../record/record-store.ts';
import { findRollback } from '../record/rollback.ts';
import { installed, named, plain, refTo, revisions, waitForEvent } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';

/** Applies a site; the most values that pods of base had at the same time. */
async function atOnce(
  { cluster, apply }: TinyWorld,
  site: RenderedSite,
  valueOf: (pod: LiveObject) => string,
): Promise<string[]> {
  let most: string[] = [];
  const stop = cluster.store.listen(() => {
    const pods = cluster.store
      .all()
      .filter(({ kind, metadata }) => kind === 'Pod' && /^base-\d/.test(metadata.name));
    const values = [...new Set(pods.map(valueOf))];
    if (values.length > most.length) most = values;
  });
  expect((await apply(site)).state).toBe('good');
  stop();
  return most;
}

const KEYS = 'secrets: { keys: { generate: fernet-keys, keep: 4 } }\n';

describe('another generation of a Secret', () => {
  it('is its own Secret; Fernet keys continue from the previous ones, which the job may read', () => {
    const { secrets, foundation } = renderChecked(
      siteInputs({ parseAppSpec, parseSite })('{ web: { generations: { keys: 3 } } }', {
        web: appText('web', KEYS),
      }),
    );
    expect(secrets).toEqual([
      {
        name: 'web-keys-g3',
        instance: 'web',
        keys: { 0: 'fernet-key', 1: 'fernet-key' },
        previous: { names: ['web-keys-g2', 'web-keys'], keep: 4 },
      },
    ]);
    const role = foundation.find(({ kind }) => kind === 'Role')!;
    expect(role['rules']).toEqual([
      { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['web-keys-g2', 'web-keys'],
        verbs: ['get'],
      },
    ]);
  });

  it('counts as created once a revision with it is good', async () => {
    const world = await installed();
    const next = tinySite({ generation: 2 });
    const look = (secret = 'database') =>
      readGeneration(
        world.cluster,
        { ...TINY, apps: { web: { generations: { database: 2 } } } },
        next,
        'web',
        secret,
      );
    expect(await look()).toEqual({ wanted: 2, made: 1 });
    await world.apply(next);
    expect(await look()).toEqual({ wanted: 2, made: 2 });
    await expect(look('databse')).rejects.toMatchObject({
      message: '"web" has no generated Secret "databse"',
      hint: 'did you mean "database"?',
    });
  });

  it('stops all pods before new ones start if they must share a Secret, also in a rollback', async () => {
    const world = await installed({ cookie: 1, bases: 3 });
    const { rendered: first } = await readNewest(world.cluster, TINY);
    const roll = (site: RenderedSite): Promise<string[]> =>
      atOnce(world, site, (pod) => JSON.stringify(pod['spec']).match(/"base-cookie[^"]*"/)![0]);
    expect(
      plain(
        deployPlanLines(await makePlan(world.cluster, TINY, tinySite({ cookie: 2, bases: 3 }))),
      ),
    ).toEqual(
      expect.arrayContaining([
        '  ! StatefulSet/base stops all its pods before new ones start, because all of them must have the same base-cookie-g2',
        '  StatefulSet/base replaces its 3 pods, all at once:',
      ]),
    );
    const { objects } = await makePlan(
      world.cluster,
      TINY,
      tinySite({ cookie: 2, bases: 3, size: '2Gi' }),
    );
    expect(
      objects.find(({ key }) => key === 'StatefulSet/base'),
      'that is replaced anyway',
    ).toMatchObject({ action: 'replace', together: true });
    expect(await roll(tinySite({ cookie: 2, bases: 3 }))).toHaveLength(1);
    expect(await roll(first)).toHaveLength(1);
    expect((await world.apply(first)).state).toBe('unchanged');
  });

  it('is refused for other Secrets', () => {
    const input = siteInputs({ parseAppSpec, parseSite })('{ web: { generations: { kes: 2 } } }', {
      web: appText('web', KEYS),
    });
    expect(() => renderChecked(input)).toThrow('"web" has no generated Secret "kes"');
  });

  it('is created, set for the account and rolled out, in this order; a rollback sets the previous one', async () => {
    const world = await installed();
    await world.apply(tinySite({ generation: 2 }));
    const order = plain(
      world.events.flatMap((event) =>
        event.type === 'written' && /^(Job|Deployment|StatefulSet)/.test(event.key)
          ? [`${event.action} ${event.key}`]
          : [],
      ),
    );
    expect(order).toEqual([
      'create Job/ccp-tiny-secrets-#',
      'create Job/web-database-setup-#',
      'update Deployment/web',
      'prune Job/ccp-tiny-secrets-#',
      'prune Job/web-database-setup-#',
    ]);
    for (const object of world.cluster.store
      .all()
      .filter(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('web-database')))
      world.cluster.store.remove(refTo('Job', object.metadata.name));
    const { record, rendered } = await findRollback(world.cluster, TINY);
    await world.apply(rendered, { rollbackTo: record.revision });
    const back = plain(
      world.events.flatMap((event) =>
        event.type === 'written' && event.action !== 'prune' && /^(Job|Deployment)/.test(event.key)
          ? [event.key]
          : [],
      ),
    );
    expect(back).toEqual(['Job/web-database-setup-#', 'Deployment/web']);
    expect(await revisions(world)).toEqual(['1 good', '2 good', '3 good back to 1']);
    expect((await world.apply(rendered)).state).toBe('unchanged');
  });
});

describe('a password that its provider keeps', () => {
  const RETIRE = 'web/retire/database';
  const keeps = (generation: number) => tinySite({ keeps: true, generation });
  const oldPod = async (
    { cluster }: TinyWorld,
    secret: string,
    { namespace = TINY.namespace as string, ends = false } = {},
  ): Promise<void> => {
    const env = [
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: secret, key: 'password' } } },
    ];
    await cluster.apply(
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: 'web-old',
          namespace,
          ...(ends ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
        },
        spec: { containers: [{ name: 'web', image: 'web', env }] },
      },
      { fieldManager: 'kubelet', force: true },
    );
  };

  it('is removed after a rotation, when no pod uses it any more', async () => {
    const world = tinyWorld();
    await world.apply(keeps(1));
    expect(keeps(1).steps.some(({ id }) => id === RETIRE)).toBe(false);
    const step = keeps(3).steps.find(({ id }) => id === RETIRE);
    expect(step?.retires).toEqual(['web-database', 'web-database-g2']);
    expect(JSON.stringify(step?.objects)).toContain('{"name":"OTHERS","value":"remove"}');
    await oldPod(world, 'web-database');
    const applied = world.apply(keeps(2));
    const waits = 'waits for Pod/web-old, which still uses a Secret of an earlier generation';
    await waitForEvent(
      world,
      (event) => event.type === 'step-waits' && event.step === RETIRE && event.reason === waits,
    );
    const written = (): string[] =>
      plain(world.events.flatMap((event) => (event.type === 'written' ? [event.key] : [])));
    expect(written()).toContain('Deployment/web');
    expect(written()).not.toContain('Job/web-database-retire-#');
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: TINY.namespace,
      name: 'web-old',
    });
    expect((await applied).state).toBe('good');
    expect(written()).toContain('Job/web-database-retire-#');
    expect((await world.apply(keeps(2))).state).toBe('unchanged');
  });

  it('stays valid for agents of nodes, in their own namespace, until they have ended', async () => {
    const site = (generation: number) =>
      tinySite({ keeps: true, generation, agent: 'one', onNode: true });
    const world = tinyWorld();
    await world.apply(site(1));
    await oldPod(world, 'web-database', { namespace: 'cloud-node', ends: true });
    const { state, steps } = await world.apply(site(2));
    expect([state, steps.get(RETIRE)]).toMatchObject([
      'failed',
      {
        failures: [
          {
            reason:
              'waits for Pod/cloud-node/web-old, which still uses a Secret of an earlier generation after 15 minutes',
          },
        ],
      },
    ]);
    expect(named(world, 'Job', 'web-database-retire')).toBeUndefined();
    // An apply that moves the agents looks in the namespace that they leave.
    const moved = tinySite({
      ...{ keeps: true, generation: 2, agent: 'one', onNode: true },
      nodeNamespace: TINY.namespace,
    });
    expect((await world.apply(moved)).state).toBe('failed');
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'cloud-node',
      name: 'web-old',
    });
    expect((await world.apply(moved)).state).toBe('good');
    expect(named(world, 'Job', 'web-database-retire')).toBeDefined();
  });

  it('does not wait for pods of a workload that is pruned after it', async () => {
    const world = tinyWorld();
    await world.apply(tinySite({ keeps: true, lone: true }));
    const { name } = named(world, 'Pod', 'lone').metadata;
    world.cluster.edit(
      { apiVersion: 'v1', kind: 'Pod', name, namespace: TINY.namespace },
      (pod) =>
        Object.assign(pod['spec'] as object, {
          volumes: [{ secret: { secretName: 'web-database' } }],
        }),
      'kubelet',
    );
    expect((await world.apply(keeps(2))).state).toBe('good');
    expect(named(world, 'Pod', 'lone')).toBeUndefined();
  });

  it('stays valid if a pod does not end, and the next apply removes it', async () => {
    const world = tinyWorld();
    await world.apply(keeps(1));
    await oldPod(world, 'web-database');
    const { state, steps } = await world.apply(keeps(2));
    expect([state, steps.get(RETIRE)]).toMatchObject([
      'failed',
      {
        failures: [
          {
            reason:
              'waits for Pod/web-old, which still uses a Secret of an earlier generation after 15 minutes',
          },
        ],
      },
    ]);
    await oldPod(world, 'web-database-g2');
    expect((await world.apply(keeps(2))).state).toBe('good');
  });
});

it('pods that must not run together with another series stop before new ones start, also on rollback', async () => {
  const [first, next] = [
    tinySite({ series: '2025.2', bases: 3 }),
    tinySite({ series: '2026.1', bases: 3 }),
  ];
  const world = tinyWorld();
  const roll = (site: RenderedSite): Promise<string[]> =>
    atOnce(world, site, ({ metadata }) => metadata.annotations!['ccp/series']!);
  expect(await roll(first)).toEqual(['2025.2']);
  expect(plain(deployPlanLines(await makePlan(world.cluster, TINY, next)))).toEqual(
    expect.arrayContaining([
      '  ! StatefulSet/base stops all its pods before new ones start, because all of them must have the same series',
      '  StatefulSet/base replaces its 3 pods, all at once:',
    ]),
  );
  expect(await roll(next)).toHaveLength(1);
  expect(await roll(first)).toHaveLength(1);
});

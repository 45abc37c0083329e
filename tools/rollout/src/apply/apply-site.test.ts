import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { readLedger } from '../record/ledger-store.ts';
import { installed, plain, refTo, revisions, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { resultLines } from './result-text.ts';

const WEB_SECRET = {
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: TINY.namespace,
  name: 'web-database',
};
const uidsOf = ({ cluster }: TinyWorld): readonly string[] =>
  cluster.store
    .all()
    .filter(({ kind, metadata }) => kind === 'Pod' && metadata.ownerReferences?.[0]?.kind !== 'Job')
    .map(({ metadata }) => metadata.uid);

describe('an install', () => {
  it('runs every step in order, also the contract: no earlier release could need the old schema', async () => {
    const world = tinyWorld();
    const result = await world.apply(tinySite());
    expect(resultLines(result)).toEqual(['tiny: revision 1 is good, 8 of 8 steps done']);
    const order = world.events.flatMap((event) =>
      event.type === 'step-ended' ? [event.step] : [],
    );
    expect(order).toEqual([
      'secrets',
      'base/workload/base',
      'web/setup/database',
      'web/job/expand',
      'web/job/migrate',
      'web/workload/web',
      'web/job/register',
      'web/job/contract',
    ]);
    expect(await revisions(world)).toEqual(['1 good']);
  });

  it('sends no write the second time, and takes no lock', async () => {
    const world = await installed();
    let result: Awaited<ReturnType<TinyWorld['apply']>> | undefined;
    expect(await writesOf(world, async () => (result = await world.apply(tinySite())))).toEqual([]);
    expect(resultLines(result!)).toEqual([
      'tiny: revision 1 is already applied and healthy; nothing was written, 8 of 8 steps done',
    ]);
    expect(world.events.filter(({ type }) => type === 'lock')).toEqual([]);
  });

  it('does not repeat a completed Job that Kubernetes has deleted after its time to live', async () => {
    const world = await installed();
    for (const object of world.cluster.store.all().filter(({ kind }) => kind === 'Job'))
      world.cluster.store.remove(refTo('Job', object.metadata.name));
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
  });

  it('reads only the names of Secrets', async () => {
    const world = tinyWorld();
    const asked: string[] = [];
    const { get, list } = world.cluster;
    await world.apply(
      tinySite(),
      {},
      {
        ...world.cluster,
        get: (each) => (asked.push(each.kind), get(each)),
        list: (kind, selection) => (
          asked.push(`${kind.kind}${selection?.metadataOnly === true ? ' names' : ''}`),
          list(kind, selection)
        ),
      },
    );
    expect(asked).toContain('ConfigMap');
    expect(asked).not.toContain('Secret');
    expect(asked).toContain('Secret names');
  });

  it('creates a missing Secret again: its Jobs run again, and its pods restart before it exists', async () => {
    const world = await installed();
    world.cluster.store.remove(WEB_SECRET);
    const before = uidsOf(world);
    const result = await world.apply(tinySite());
    expect(plain(deployPlanLines(result.plan)).slice(1, -1)).toEqual([
      '  + Job/ccp-tiny-secrets-#',
      '  + Job/web-database-setup-#',
      '  ! Secret/web-database is missing and is created again',
      expect.stringMatching(/^ {6}the Jobs that used it run again, and Pod\/web-.* restart$/),
    ]);
    expect(result.state).toBe('good');
    expect(world.cluster.store.get(WEB_SECRET)).toBeDefined();
    expect(uidsOf(world).filter((uid) => before.includes(uid))).toHaveLength(2);
    expect((await world.apply(tinySite())).state).toBe('unchanged');
  });

  it('does not look for missing Secrets if this account may not list them', async () => {
    const world = await installed();
    world.cluster.store.remove(WEB_SECRET);
    const { list } = world.cluster;
    const denied: typeof list = async (kind, selection) => {
      if (kind.kind === 'Secret')
        throw new CcpError({ code: 'cluster-denied', message: 'secrets is forbidden' });
      return await list(kind, selection);
    };
    expect((await world.apply(tinySite(), {}, { ...world.cluster, list: denied })).state).toBe(
      'unchanged',
    );
  });
});

describe('a job that workloads need before they are ready', () => {
  it('runs before ccp waits for the workloads (wait + hook deadlock)', async () => {
    const world = tinyWorld();
    world.behave({ web: 'unready' });
    const result = await world.apply(tinySite(), {
      emit: (event) =>
        event.type === 'step-ended' && event.step === 'web/job/migrate' && world.behave({}),
    });
    expect(result.state).toBe('good');
  });

  it('is blocked, with the cause, if it is defined to run after the workloads', async () => {
    const world = tinyWorld();
    world.behave({ web: 'unready' });
    expect(plain(resultLines(await world.apply(tinySite())))).toEqual([
      'x Deployment/web 0 of 2 pods are ready; pod web-#-0: container "web" is running but not ready',
      '    blocks web/job/contract, web/job/register',
      '  web/job/contract did not run: it waits for web/workload/web',
      '  web/job/register did not run: it waits for web/workload/web',
      'tiny: revision 1 failed, 5 of 8 steps done',
    ]);
  });
});

describe('a failure', () => {
  it('names the container, its exit code, last output, events and blocked steps; other steps continue', async () => {
    const world = tinyWorld();
    world.behave({ 'web-expand': 'crashes' });
    const start = world.clock.elapsed();
    const result = await world.apply(tinySite({ lone: true }));
    expect(plain(resultLines(result))).toEqual([
      'x Job/web-expand-# 3 of its pods failed; pod web-expand-#-0: container "expand" exited with code 3',
      '    last output of "expand":',
      '      | starting',
      '      | no such table: 71a8',
      '    blocks web/job/migrate, web/workload/web, web/job/contract, web/job/register',
      '  web/job/migrate did not run: it waits for web/job/expand',
      '  web/workload/web did not run: it waits for web/job/migrate',
      '  web/job/contract did not run: it waits for web/workload/web',
      '  web/job/register did not run: it waits for web/workload/web',
      'tiny: revision 1 failed, 4 of 9 steps done',
    ]);
    expect(result.steps.get('lone/workload/lone')).toEqual({ state: 'done' });
    expect(world.clock.elapsed() - start).toBeLessThan(60);
    expect(await revisions(world)).toEqual(['1 failed']);
  });

  it('is fixed by another run: the failed Job runs again, completed Jobs do not', async () => {
    const world = tinyWorld();
    world.behave({ 'web-expand': 'crashes' });
    await world.apply(tinySite());
    world.behave({});
    const plan = await makePlan(world.cluster, TINY, tinySite());
    expect(plain(deployPlanLines(plan)).filter((line) => line.includes('expand'))).toEqual([
      '  ! Job/web-expand-# is run again: the last run 3 of its pods failed',
    ]);
    expect(resultLines(await world.apply(tinySite()))).toEqual([
      'tiny: revision 1 is good, 8 of 8 steps done',
    ]);
    expect(await revisions(world)).toEqual(['1 good']);
  });

  it.each([
    [
      'a crash loop',
      'crashes',
      'x Deployment/web 0 of 2 pods are ready; pod web-#-0: container "web" exited with code 3, restarted 4 times',
    ],
    [
      'an image that is not there',
      'no-image',
      'x Deployment/web 0 of 2 pods are ready; pod web-#-0: the image of container "web" cannot be pulled (manifest unknown)',
    ],
    [
      'no room on any node',
      'no-node',
      'x Deployment/web 0 of 2 pods are ready; pod web-#-0: no node can run it: 0/3 nodes are available: 3 Insufficient cpu.',
    ],
  ] as const)('%s is reported within a minute', async (_, behaviour, line) => {
    const world = tinyWorld();
    world.behave({ web: behaviour });
    const start = world.clock.elapsed();
    expect(plain(resultLines(await world.apply(tinySite())))).toContain(line);
    expect(world.clock.elapsed() - start).toBeLessThan(60);
  });

  it('has a cause even if no controller runs (a wait that ends with no cause)', async () => {
    const world = tinyWorld({ controllers: false });
    const lines = resultLines(await world.apply(tinySite()));
    expect(plain(lines)[0]).toBe(
      'x Job/ccp-tiny-secrets-# no progress for 45 s: it has not started yet',
    );
    expect(world.clock.elapsed()).toBeLessThan(60);
  });
});

it('lists finished steps in the ledger with their revision', async () => {
  const world = await installed();
  const entries = Object.values(await readLedger(world.cluster, TINY));
  expect(entries.map(({ step, phase, revision }) => `${step} ${phase} ${revision}`).sort()).toEqual(
    [
      'secrets secrets 1',
      'web/job/contract contract 1',
      'web/job/expand expand 1',
      'web/job/migrate migrate 1',
      'web/job/register post 1',
      'web/setup/database setup 1',
    ],
  );
});

import { describe, expect, it, vi } from 'vitest';
import { CcpError } from '#core';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { readLedger } from '../record/ledger-store.ts';
import { findRollback } from '../record/rollback.ts';
import { installed, named, plain, refTo, revisions, told, writesOf } from '../testing/tiny-looks.ts';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { takeLock } from './lock.ts';
import { resultLines } from './result-text.ts';

const WEB_SECRET = { apiVersion: 'v1', kind: 'Secret', namespace: TINY.namespace, name: 'web-database' };
const uidsOf = ({ cluster }: TinyWorld): readonly string[] => cluster.store.all().filter(({ kind, metadata }) => kind === 'Pod' && metadata.ownerReferences?.[0]?.kind !== 'Job').map(({ metadata }) => metadata.uid);

describe('an install', () => {
  it('does every step in order, its contract too, since there is nothing to go back to', async () => {
    const world = tinyWorld();
    const result = await world.apply(tinySite());
    expect(resultLines(result)).toEqual(['tiny: revision 1 is good, 8 of 8 steps done']);
    const order = world.events.flatMap((event) => (event.type === 'step-ended' ? [event.step] : []));
    expect(order).toEqual(['secrets', 'base/workload/base', 'web/setup/database', 'web/job/expand', 'web/job/migrate', 'web/workload/web', 'web/job/contract', 'web/job/register']);
    expect(await revisions(world)).toEqual(['1 good']);
  });

  it('sends no write the second time, and takes no lock', async () => {
    const world = await installed();
    let result: Awaited<ReturnType<TinyWorld['apply']>> | undefined;
    expect(await writesOf(world, async () => (result = await world.apply(tinySite())))).toEqual([]);
    expect(resultLines(result!)).toEqual(['tiny: revision 1 is there and well, nothing was written, 8 of 8 steps done']);
    expect(world.events.filter(({ type }) => type === 'lock')).toEqual([]);
  });

  it('runs no done job again whose object Kubernetes has removed after its time', async () => {
    const world = await installed();
    for (const object of world.cluster.store.all().filter(({ kind }) => kind === 'Job')) world.cluster.store.remove(refTo('Job', object.metadata.name));
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
  });

  it('of Secrets asks for the names alone', async () => {
    const world = tinyWorld();
    const asked: string[] = [];
    const { get, list } = world.cluster;
    await world.apply(tinySite(), {}, { ...world.cluster, get: (each) => (asked.push(each.kind), get(each)), list: (kind, selection) => (asked.push(`${kind.kind}${selection?.metadataOnly === true ? ' names' : ''}`), list(kind, selection)) });
    expect(asked).toContain('ConfigMap');
    expect(asked).not.toContain('Secret');
    expect(asked).toContain('Secret names');
  });

  it('makes a Secret anew that is gone: its Jobs run again, and its pods start again before it is there', async () => {
    const world = await installed();
    world.cluster.store.remove(WEB_SECRET);
    const before = uidsOf(world);
    const result = await world.apply(tinySite());
    expect(plain(deployPlanLines(result.plan)).slice(1, -1)).toEqual([
      '  + Job/ccp-tiny-secrets-#', '  + Job/web-database-setup-#', '  ! Secret/web-database is gone and is made anew', expect.stringMatching(/^ {6}the Jobs that ran with it run again, and Pod\/web-.* start again$/),
    ]);
    expect(result.state).toBe('good');
    expect(world.cluster.store.get(WEB_SECRET)).toBeDefined();
    expect(uidsOf(world).filter((uid) => before.includes(uid))).toHaveLength(2);
    expect((await world.apply(tinySite())).state).toBe('unchanged');
  });

  it('leaves it to the cluster where Secrets may not be listed', async () => {
    const world = await installed();
    world.cluster.store.remove(WEB_SECRET);
    const { list } = world.cluster;
    const denied: typeof list = async (kind, selection) => {
      if (kind.kind === 'Secret') throw new CcpError({ code: 'cluster-denied', message: 'secrets is forbidden' });
      return await list(kind, selection);
    };
    expect((await world.apply(tinySite(), {}, { ...world.cluster, list: denied })).state).toBe('unchanged');
  });
});

describe('what workloads need before they are ready', () => {
  it('runs before they are waited for (wait + hook deadlock)', async () => {
    const world = tinyWorld();
    world.behave({ web: 'unready' });
    const result = await world.apply(tinySite(), { emit: (event) => event.type === 'step-ended' && event.step === 'web/job/migrate' && world.behave({}) });
    expect(result.state).toBe('good');
  });

  it('and cannot come, since it runs after them, ends with the cause and what it holds back', async () => {
    const world = tinyWorld();
    world.behave({ web: 'unready' });
    expect(plain(resultLines(await world.apply(tinySite())))).toEqual([
      'x Deployment/web 0 of 2 pods are ready; pod web-#-0: container "web" runs and is not ready',
      '    holds back web/job/contract, web/job/register',
      '  web/job/contract did not run: it waits for web/workload/web',
      '  web/job/register did not run: it waits for web/workload/web',
      'tiny: revision 1 failed, 5 of 8 steps done',
    ]);
  });
});

describe('a failure', () => {
  it('names the container, its exit code, last output, events and what it holds back; the rest goes on', async () => {
    const world = tinyWorld();
    world.behave({ 'web-expand': 'crashes' });
    const start = world.clock.elapsed();
    const result = await world.apply(tinySite({ lone: true }));
    expect(plain(resultLines(result))).toEqual([
      'x Job/web-expand-# 3 of its pods failed; pod web-expand-#-0: container "expand" exits with 3',
      '    last output of "expand":',
      '      | starting',
      '      | no such table: 71a8',
      '    holds back web/job/migrate, web/workload/web, web/job/contract, web/job/register',
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

  it('is mended by running it again: the failed job is run once more, what is done is not', async () => {
    const world = tinyWorld();
    world.behave({ 'web-expand': 'crashes' });
    await world.apply(tinySite());
    world.behave({});
    const plan = await makePlan(world.cluster, TINY, tinySite());
    expect(plain(deployPlanLines(plan)).filter((line) => line.includes('expand'))).toEqual(['  ! Job/web-expand-# is run again: the last run 3 of its pods failed']);
    expect(resultLines(await world.apply(tinySite()))).toEqual(['tiny: revision 1 is good, 8 of 8 steps done']);
    expect(await revisions(world)).toEqual(['1 good']);
  });

  it.each([
    ['a crash loop', 'crashes', 'x Deployment/web 0 of 2 pods are ready; pod web-#-0: container "web" exits with 3, restarted 4 times'],
    ['an image that is not there', 'no-image', 'x Deployment/web 0 of 2 pods are ready; pod web-#-0: the image of container "web" cannot be pulled (manifest unknown)'],
    ['no room on any node', 'no-node', 'x Deployment/web 0 of 2 pods are ready; pod web-#-0: no node takes it: 0/3 nodes are available: 3 Insufficient cpu.'],
  ] as const)('%s is told within a minute', async (_, behaviour, line) => {
    const world = tinyWorld();
    world.behave({ web: behaviour });
    const start = world.clock.elapsed();
    expect(plain(resultLines(await world.apply(tinySite())))).toContain(line);
    expect(world.clock.elapsed() - start).toBeLessThan(60);
  });

  it('has a cause even where no controller moves (a wait that ends with no cause)', async () => {
    const world = tinyWorld({ controllers: false });
    const lines = resultLines(await world.apply(tinySite()));
    expect(plain(lines)[0]).toBe('x Job/ccp-tiny-secrets-# nothing has moved for 45 s: it has not started yet');
    expect(world.clock.elapsed()).toBeLessThan(60);
  });
});

describe('an upgrade', () => {
  it('rolls only what changed, says why, and puts the contract off until it is confirmed', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ colour: 'blue' }));
    expect(plain(deployPlanLines(plan))).toEqual([
      'tiny in cloud on fake, revision 2 (new)',
      '  + ConfigMap/web-web-conf-#',
      '  ~ Deployment/web',
      '  Deployment/web replaces its 2 pods, one after the other:',
      '      web.conf: - [DEFAULT] colour = red',
      '      web.conf: + [DEFAULT] colour = blue',
      '  - ConfigMap/web-web-conf-# is not part of the site any more',
      expect.stringMatching(/^1 to create, 1 to update, 0 to replace, 1 to prune, \d+ as they are$/),
    ]);
    const base = named(world, 'Pod', 'base-0').metadata.uid;
    await world.apply(tinySite({ colour: 'blue' }));
    expect(named(world, 'Pod', 'base-0').metadata.uid).toBe(base);
  });

  it('runs the contract when it is confirmed, and then no older image can come back', async () => {
    const world = await installed();
    const result = await world.apply(tinySite({ release: 'two' }));
    expect(result.steps.get('web/job/contract')).toEqual({ state: 'deferred', reason: 'until the release is confirmed with --contract: the release before cannot come back after it' });
    expect((await findRollback(world.cluster, TINY)).record.revision).toBe(1);
    expect((await world.apply(tinySite({ release: 'two' }), { contract: true })).state).toBe('good');
    await expect(findRollback(world.cluster, TINY)).rejects.toThrow('revision 1 cannot come back: web/job/contract of revision 2 has taken away what web of that time needs in its schema');
  });

  it('cannot be gone back from by an apply of the older release either, once its contract ran', async () => {
    const world = await installed();
    await world.apply(tinySite({ release: 'two' }));
    expect((await world.apply(tinySite())).state, 'while the schema is only expanded').toBe('good');
    await world.apply(tinySite({ release: 'two' }), { contract: true });
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite({ colour: 'blue' }))).rejects.toMatchObject({ code: 'deploy-older', message: 'web of revision 3 cannot come back: web/job/contract of revision 4 has taken away what it needs in its schema' }),
    );
    expect(writes).toEqual([]);
    expect((await world.apply(tinySite({ release: 'three' }))).state).toBe('good');
  });

  it("does not pass the gate on the old job's success (upgraded pods passing the gate on the old job's success)", async () => {
    const world = await installed();
    world.behave({ 'web-migrate': 'hangs' });
    const stop = new AbortController();
    const running = world.apply(tinySite({ release: 'two' }), { signal: stop.signal });
    await told(world, (event) => event.type === 'step-waits' && event.step === 'web/job/migrate');
    const image = (named(world, 'Deployment', 'web')['spec'] as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers[0]!.image;
    stop.abort();
    expect((await running).state).toBe('cancelled');
    expect(tinySite().steps.find(({ id }) => id === 'web/workload/web')!.objects[0]).toMatchObject({ spec: { template: { spec: { containers: [{ image }] } } } });
  });

  it('starts a step only when an earlier form of its job is gone (immutable job template)', async () => {
    const world = await installed();
    world.behave({ 'web-expand': 'hangs' });
    const stop = new AbortController();
    const first = world.apply(tinySite({ release: 'two' }), { signal: stop.signal });
    await told(world, (event) => event.type === 'step-waits' && event.step === 'web/job/expand');
    stop.abort();
    await first;
    const hanging = world.cluster.store.all().find(({ kind, metadata, ...object }) => kind === 'Job' && metadata.name.startsWith('web-expand') && (object['status'] as { active?: number }).active === 1)!;
    world.behave({});
    const writes = await writesOf(world, () => world.apply(tinySite({ release: 'three' })));
    const jobs = writes.filter((write) => write.includes('Job cloud/web-expand')).map((write) => write.split(' ')[0]);
    expect(jobs.slice(0, 2)).toEqual(['delete', 'apply']);
    expect(writes.find((write) => write.startsWith('delete batch/v1 Job'))).toBe(`delete batch/v1 Job cloud/${hanging.metadata.name}`);
  });

  it('can be undone where pods are broken (broken StatefulSet that does not heal when reverted)', async () => {
    const world = await installed();
    world.behave({ base: 'crashes' });
    const broken = tinySite();
    const steps = broken.steps.map((step) => (step.id === 'base/workload/base' ? { ...step, objects: step.objects.map((object) => JSON.parse(JSON.stringify(object).replaceAll('"serve"', '"serv"'))) } : step));
    expect((await world.apply({ ...broken, steps })).state).toBe('failed');
    world.behave({});
    const { record, rendered } = await findRollback(world.cluster, TINY);
    const result = await world.apply(rendered, { rollbackTo: record.revision });
    expect(resultLines(result)).toEqual(['tiny: revision 3 is good, 8 of 8 steps done']);
    expect(world.events).toContainEqual({ type: 'written', key: 'Pod/base-1', action: 'unstick', reason: 'StatefulSet/base waits for it and it is broken' });
    expect(await revisions(world)).toEqual(['1 good', '2 failed', '3 good back to 1']);
  });

  it('that failed is planned against what is there (plan against live conflict on retry)', async () => {
    const world = await installed();
    world.behave({ web: 'crashes' });
    const approved = await makePlan(world.cluster, TINY, tinySite({ release: 'two' }));
    expect((await world.apply(tinySite({ release: 'two' }), { approved })).state).toBe('failed');
    const retry = await makePlan(world.cluster, TINY, tinySite({ release: 'two' }));
    expect(plain(retry.objects.filter(({ action }) => action !== 'unchanged').map(({ key, action }) => `${action} ${key}`))).toEqual(['create Job/web-register-#']);
    world.behave({});
    expect((await world.apply(tinySite({ release: 'two' }), { approved })).state).toBe('failed');
    world.cluster.edit(refTo('Deployment', 'web'), (object) => Object.assign((object['metadata'] as { labels: object }).labels, { 'app.kubernetes.io/part-of': 'mine' }), 'kubectl-label');
    await expect(world.apply(tinySite({ release: 'two' }), { approved })).rejects.toThrow('the plan is out of date; since it was made:\n  kubectl-label has set .metadata.labels.app.kubernetes.io/part-of of Deployment/web');
  });
});

describe('the lock', () => {
  it('of a killed run is taken over once its time is over (lock left by a killed run)', async () => {
    const world = await installed();
    await takeLock(world.cluster, TINY, { holder: 'gone@host (run 0)', clock: { now: world.clock.now, sleep: () => new Promise(() => undefined) }, emit: () => undefined });
    const start = world.clock.elapsed();
    expect((await world.apply(tinySite({ colour: 'blue' }))).state).toBe('good');
    expect(world.events.filter(({ type }) => type === 'lock').map((event) => 'state' in event && event.state)).toEqual(['waiting', 'taken-over', 'released']);
    expect(world.clock.elapsed() - start).toBeLessThan(30);
  });

  it('of a run that lives is respected, by name', async () => {
    const world = await installed();
    const lock = await takeLock(world.cluster, TINY, { holder: 'anna@desk (run 7)', clock: world.clock, emit: () => undefined });
    const onReady = vi.fn<() => void>();
    await expect(world.apply(tinySite({ colour: 'blue' }), { onReady })).rejects.toThrow('anna@desk (run 7) is changing the site "tiny" now');
    expect(onReady).not.toHaveBeenCalled();
    await lock.release();
    await world.apply(tinySite({ colour: 'blue' }), { onReady });
    expect(onReady).toHaveBeenCalledOnce();
  });

  it('that was lost stops every further write', async () => {
    const world = await installed();
    const thief = (): void => void world.cluster.edit({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'ccp-tiny', namespace: TINY.namespace }, (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }), 'thief');
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }));
    await told(world, (event) => event.type === 'step-waits');
    thief();
    await expect(running).rejects.toThrow('the lock of the site could not be renewed in time, another run may hold it now');
    expect(await revisions(world)).toEqual(['1 good', '2 running']);
  });
});

it('the ledger names what ran, with its image and revision', async () => {
  const world = await installed();
  const entries = Object.values(await readLedger(world.cluster, TINY));
  expect(entries.map(({ step, phase, revision }) => `${step} ${phase} ${revision}`).sort()).toEqual([
    'secrets secrets 1', 'web/job/contract contract 1', 'web/job/expand expand 1', 'web/job/migrate migrate 1', 'web/job/register post 1', 'web/setup/database setup 1',
  ]);
});

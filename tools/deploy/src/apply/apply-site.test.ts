import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { parseAppSpec } from '#definitions';
import type { LiveObject } from '#ports';
import { objectsOf } from '../live/read-live.ts';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { podsOf } from '../pods-of.ts';
import { readLedger } from '../record/ledger-store.ts';
import { readRecords } from '../record/record-store.ts';
import { findRollback } from '../record/rollback.ts';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { takeLock } from './lock.ts';
import { resultLines } from './result-text.ts';

const ref = (kind: string, name: string) => ({ apiVersion: kind === 'Job' ? 'batch/v1' : kind === 'Pod' || kind === 'ConfigMap' ? 'v1' : 'apps/v1', kind, name, namespace: TINY.namespace });
const named = (world: TinyWorld, kind: string, start: string): LiveObject => world.cluster.store.all().find((object) => object.kind === kind && object.metadata.name.startsWith(start))!;
/** Texts without hashes of content. */
const plain = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll(/-[0-9a-f]{8,10}\b/g, '-#').replaceAll(/@[0-9a-f]{12}/g, '@#').replaceAll(/in revision \d+/g, 'in revision #'));
const revisions = async (world: TinyWorld): Promise<string[]> => (await readRecords(world.cluster, TINY)).map(({ revision, state, rollbackTo }) => `${revision} ${state}${rollbackTo === undefined ? '' : ` back to ${rollbackTo}`}`);
const writesOf = async (world: TinyWorld, work: () => Promise<unknown>): Promise<string[]> => {
  const start = world.cluster.writes.length;
  await work();
  return world.cluster.writes.slice(start).filter((write) => !write.includes(' Lease '));
};

async function installed(site = tinySite()): Promise<TinyWorld> {
  const world = tinyWorld();
  expect((await world.apply(site)).state).toBe('good');
  return world;
}

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
    for (const object of world.cluster.store.all().filter(({ kind }) => kind === 'Job')) world.cluster.store.remove(ref('Job', object.metadata.name));
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
  });

  it('reads no Secret', async () => {
    const world = tinyWorld();
    const asked: string[] = [];
    const { get, list } = world.cluster;
    await world.apply(tinySite(), {}, { ...world.cluster, get: (each) => (asked.push(each.kind), get(each)), list: (kind, selection) => (asked.push(kind.kind), list(kind, selection)) });
    expect(asked).toContain('ConfigMap');
    expect(asked).not.toContain('Secret');
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
    ['an image that is not there', 'no-image', 'x Deployment/web 0 of 2 pods are ready; pod web-#-0: the image of container "web" cannot be pulled (ImagePullBackOff: manifest unknown)'],
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
    expect(plain(lines)[0]).toBe('x Job/ccp-secrets-# nothing has moved for 45 s: it has not started yet');
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

  it("does not pass the gate on the old job's success (upgraded pods passing the gate on the old job's success)", async () => {
    const world = await installed();
    world.behave({ 'web-migrate': 'hangs' });
    const stop = new AbortController();
    const running = world.apply(tinySite({ release: 'two' }), { signal: stop.signal });
    while (!world.events.some((event) => event.type === 'step-waits' && event.step === 'web/job/migrate')) await new Promise((resolve) => setImmediate(resolve));
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
    while (!world.events.some((event) => event.type === 'step-waits' && event.step === 'web/job/expand')) await new Promise((resolve) => setImmediate(resolve));
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
    world.cluster.edit(ref('Deployment', 'web'), (object) => Object.assign((object['metadata'] as { labels: object }).labels, { 'app.kubernetes.io/part-of': 'mine' }), 'kubectl-label');
    await expect(world.apply(tinySite({ release: 'two' }), { approved })).rejects.toThrow('kubectl-label has set .metadata.labels.app.kubernetes.io/part-of of Deployment/web to another value');
  });
});

describe('fields of others', () => {
  const scaled = async (): Promise<TinyWorld> => {
    const world = await installed();
    world.cluster.edit(ref('Deployment', 'web'), (object) => void ((object['spec'] as { replicas: number }).replicas = 5), 'kube-controller-manager');
    return world;
  };

  it('stop an apply before any write, with the name of the owner', async () => {
    const world = await scaled();
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite())).rejects.toMatchObject({
        code: 'deploy-conflict',
        message: 'kube-controller-manager has set .spec.replicas of Deployment/web to another value',
        hint: "take it over with --take 'Deployment/web:spec.replicas', or leave it to kube-controller-manager with --leave 'Deployment/web:spec.replicas'",
      }),
    );
    expect(writes).toEqual([]);
  });

  it('are left where an autoscaler sets the replicas (HPA replicas not fought over), with no write', async () => {
    const world = await scaled();
    world.cluster.store.put({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: TINY.namespace, name: 'web' }, { object: { metadata: {}, spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } } }, owners: [] });
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
    await world.apply(tinySite({ colour: 'blue' }));
    expect(named(world, 'Deployment', 'web')['spec']).toMatchObject({ replicas: 5 });
  });

  it('are taken where a rule says so', async () => {
    const world = await scaled();
    await world.apply(tinySite(), { rules: [{ object: 'Deployment/web', field: 'spec.replicas', policy: 'take' }] });
    expect(named(world, 'Deployment', 'web')['spec']).toMatchObject({ replicas: 2 });
  });
});

describe('a field that cannot change', () => {
  it('has its object replaced, without its pods where it is a StatefulSet', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ size: '2Gi' }));
    expect(plain(deployPlanLines(plan)).find((line) => line.startsWith('  !'))).toMatch(/^ {2}! StatefulSet\/base cannot be changed in place: spec: Forbidden: updates to statefulset spec/);
    expect((await world.apply(tinySite({ size: '2Gi' }))).state).toBe('good');
  });
});

describe('what is not part of the site any more', () => {
  it('goes with a preview; Secrets and claims stay', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ web: false }));
    const gone = plan.prune.map(({ key }) => key.replace(/-[0-9a-f]{10}$/, ''));
    expect(gone).toEqual(expect.arrayContaining(['Deployment/web', 'Service/web', 'NetworkPolicy/web', 'ServiceAccount/web', 'Job/web-expand']));
    expect(plan.keep).toEqual([{ key: 'Secret/web-database', reason: 'its value cannot be made again' }]);
    await world.apply(tinySite({ web: false }));
    expect(world.cluster.store.all().filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === 'web')).toEqual([]);
    expect(await writesOf(world, () => world.apply(tinySite({ web: false })))).toEqual([]);
  });

  it('stays where something failed', async () => {
    const world = await installed(tinySite({ lone: true }));
    world.behave({ web: 'crashes' });
    const result = await world.apply(tinySite({ release: 'two' }));
    expect(resultLines(result)).toContain('  nothing was pruned: something failed, and what is there may still be needed');
    expect(named(world, 'Deployment', 'lone')).toBeDefined();
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
    await expect(world.apply(tinySite({ colour: 'blue' }))).rejects.toThrow('anna@desk (run 7) is changing the site "tiny" now');
    await lock.release();
  });

  it('that was lost stops every further write', async () => {
    const world = await installed();
    const thief = (): void => void world.cluster.edit({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'ccp-tiny', namespace: TINY.namespace }, (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }), 'thief');
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }));
    while (!world.events.some((event) => event.type === 'step-waits')) await new Promise((resolve) => setImmediate(resolve));
    thief();
    expect((await running).state).toBe('cancelled');
    expect(await revisions(world)).toEqual(['1 good', '2 running']);
  });
});

describe('hostile input', () => {
  it('cannot reach outside the namespace of the site', async () => {
    const world = tinyWorld();
    const site = tinySite();
    const outside = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'kube-system' } };
    await expect(world.apply({ ...site, foundation: [...site.foundation, outside] })).rejects.toThrow(CcpError);
    expect(world.cluster.writes).toEqual([]);
  });

  it('cannot name one variable twice (duplicate env names)', () => {
    const text = ['schema: 1.0.0', 'title: Web', 'user: { uid: 1, gid: 1 }', 'workloads: {}', 'jobs:', '  go: { phase: post, role: any, command: [go], env: { A: one, A: two }, resources: {} }'].join('\n');
    expect(() => parseAppSpec(text, 'app.yaml', 'web')).toThrow('the key "A" stands twice in one map');
    const containers = podsOf(objectsOf(tinySite())).flatMap(({ pod }) => pod.containers);
    for (const { env } of containers) expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
  });
});

it('the ledger names what ran, with its image and revision', async () => {
  const world = await installed();
  const entries = Object.values(await readLedger(world.cluster, TINY));
  expect(entries.map(({ step, phase, revision }) => `${step} ${phase} ${revision}`).sort()).toEqual([
    'secrets secrets 1', 'web/job/contract contract 1', 'web/job/expand expand 1', 'web/job/migrate migrate 1', 'web/job/register post 1', 'web/setup/database setup 1',
  ]);
});

import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { findRollback } from '../record/rollback.ts';
import {
  installed,
  named,
  plain,
  refTo,
  revisions,
  waitForEvent,
  writesOf,
} from '../testing/tiny-looks.ts';
import { resultLines } from './result-text.ts';

describe('an upgrade', () => {
  it('rolls only changed workloads, says why, and postpones the contract Job until it is confirmed', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ colour: 'blue' }));
    expect(plain(deployPlanLines(plan))).toEqual([
      'tiny in cloud on fake, revision 2 (new)',
      '  + ConfigMap/web-web-conf-#',
      '  ~ Deployment/web',
      '  Deployment/web replaces its 2 pods, one after the other:',
      '      web.conf: - [DEFAULT] colour = red',
      '      web.conf: + [DEFAULT] colour = blue',
      '  - ConfigMap/web-web-conf-# is replaced by ConfigMap/web-web-conf-#',
      expect.stringMatching(/^1 to create, 1 to update, 0 to replace, 1 to prune, \d+ unchanged$/),
    ]);
    const base = named(world, 'Pod', 'base-0').metadata.uid;
    await world.apply(tinySite({ colour: 'blue' }));
    expect(named(world, 'Pod', 'base-0').metadata.uid).toBe(base);
  });

  it('names the Job that replaces a finished one, and objects that left the site', async () => {
    const world = await installed({ lone: true });
    const { prune, objects } = await makePlan(world.cluster, TINY, tinySite({ release: 'two' }));
    const reason = (start: string) => prune.find(({ key }) => key.startsWith(start))?.reason;
    expect(reason('Job/web-expand-')).toBe(
      `is replaced by ${objects.find(({ key }) => key.startsWith('Job/web-expand-'))!.key}`,
    );
    expect(reason('Job/web-contract-'), 'although the next one is postponed').toMatch(
      /^is replaced by Job\/web-contract-[0-9a-f]{10}$/,
    );
    expect(reason('Deployment/lone')).toBe('is no longer part of the site');
  });

  it('runs the contract when it is confirmed, and then no older image can come back', async () => {
    const world = await installed();
    const result = await world.apply(tinySite({ release: 'two' }));
    expect(result.steps.get('web/job/contract')).toEqual({
      state: 'deferred',
      reason: 'until the release is confirmed with --contract: a rollback is impossible after it',
    });
    expect((await findRollback(world.cluster, TINY)).record.revision).toBe(1);
    expect((await world.apply(tinySite({ release: 'two' }), { contract: true })).state).toBe(
      'good',
    );
    await expect(findRollback(world.cluster, TINY)).rejects.toThrow(
      'revision 1 cannot be applied again: web/job/contract of revision 2 has removed parts of the database schema that web needed then',
    );
  });

  it('runs a contract only when no pod of the instance is terminating', async () => {
    const world = await installed();
    await world.apply(tinySite({ release: 'two' }));
    const refOf = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name,
      namespace: TINY.namespace,
    });
    for (const [name, instance] of [
      ['web-old', 'web'],
      ['base-old', 'base'],
    ] as const) {
      await world.cluster.apply(
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name,
            namespace: TINY.namespace,
            labels: { 'app.kubernetes.io/instance': instance },
            ...{ finalizers: ['test/waits'] },
          },
          spec: { containers: [{ name: 'web', image: 'web' }] },
        },
        { fieldManager: 'kubelet', force: true },
      );
      await world.cluster.delete(refOf(name));
    }
    const contracted = (): boolean =>
      world.events.some(
        (event) => event.type === 'written' && event.key.startsWith('Job/web-contract-'),
      );
    world.events.length = 0;
    const applied = world.apply(tinySite({ release: 'two' }), { contract: true });
    await waitForEvent(
      world,
      (event) =>
        event.type === 'step-waits' &&
        event.step === 'web/job/contract' &&
        event.reason ===
          'waits for Pod/web-old, which is still terminating and may need the earlier schema',
    );
    expect(contracted()).toBe(false);
    world.cluster.store.remove(refOf('web-old'));
    expect((await applied).state).toBe('good');
    expect(contracted()).toBe(true);
  });

  it('refuses an apply of the older release once its contract ran', async () => {
    const world = await installed();
    await world.apply(tinySite({ release: 'two' }));
    expect((await world.apply(tinySite())).state, 'while the schema is only expanded').toBe('good');
    await world.apply(tinySite({ release: 'two' }), { contract: true });
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite({ colour: 'blue' }))).rejects.toMatchObject({
        code: 'deploy-older',
        message:
          'web of revision 3 cannot be applied again: web/job/contract of revision 4 has removed parts of the database schema that it needs',
      }),
    );
    expect(writes).toEqual([]);
    expect((await world.apply(tinySite({ release: 'three' }))).state).toBe('good');
  });

  it("does not pass the gate on the old job's success (upgraded pods passing the gate on the old job's success)", async () => {
    const world = await installed();
    world.behave({ 'web-migrate': 'hangs' });
    const stop = new AbortController();
    const running = world.apply(tinySite({ release: 'two' }), { signal: stop.signal });
    await waitForEvent(
      world,
      (event) => event.type === 'step-waits' && event.step === 'web/job/migrate',
    );
    const image = (
      named(world, 'Deployment', 'web')['spec'] as {
        template: { spec: { containers: { image: string }[] } };
      }
    ).template.spec.containers[0]!.image;
    stop.abort();
    expect((await running).state).toBe('cancelled');
    expect(tinySite().steps.find(({ id }) => id === 'web/workload/web')!.objects[0]).toMatchObject({
      spec: { template: { spec: { containers: [{ image }] } } },
    });
  });

  it('starts a step only after the previous version of its Job is deleted (immutable job template)', async () => {
    const world = await installed();
    world.behave({ 'web-expand': 'hangs' });
    const stop = new AbortController();
    const first = world.apply(tinySite({ release: 'two' }), { signal: stop.signal });
    await waitForEvent(
      world,
      (event) => event.type === 'step-waits' && event.step === 'web/job/expand',
    );
    stop.abort();
    await first;
    const hanging = world.cluster.store
      .all()
      .find(
        ({ kind, metadata, ...object }) =>
          kind === 'Job' &&
          metadata.name.startsWith('web-expand') &&
          (object['status'] as { active?: number }).active === 1,
      )!;
    world.behave({});
    const writes = await writesOf(world, () => world.apply(tinySite({ release: 'three' })));
    const jobs = writes
      .filter((write) => write.includes('Job cloud/web-expand'))
      .map((write) => write.split(' ')[0]);
    expect(jobs.slice(0, 2)).toEqual(['delete', 'apply']);
    expect(writes.find((write) => write.startsWith('delete batch/v1 Job'))).toBe(
      `delete batch/v1 Job cloud/${hanging.metadata.name}`,
    );
  });

  it('can be rolled back if pods are broken (broken StatefulSet that does not heal when reverted)', async () => {
    const world = await installed();
    world.behave({ base: 'crashes' });
    const broken = tinySite();
    const steps = broken.steps.map((step) =>
      step.id === 'base/workload/base'
        ? {
            ...step,
            objects: step.objects.map((object) =>
              JSON.parse(JSON.stringify(object).replaceAll('"serve"', '"serv"')),
            ),
          }
        : step,
    );
    expect((await world.apply({ ...broken, steps })).state).toBe('failed');
    world.behave({});
    const { record, rendered } = await findRollback(world.cluster, TINY);
    const result = await world.apply(rendered, { rollbackTo: record.revision });
    expect(resultLines(result)).toEqual(['tiny: revision 3 is good, 8 of 8 steps done']);
    expect(world.events).toContainEqual({
      type: 'written',
      key: 'Pod/base-1',
      action: 'unstick',
      reason: 'StatefulSet/base waits for it and it is broken',
    });
    expect(await revisions(world)).toEqual(['1 good', '2 failed', '3 good back to 1']);
  });

  it('is planned against the live objects after a failure (plan against live conflict on retry)', async () => {
    const world = await installed();
    world.behave({ web: 'crashes' });
    const approved = await makePlan(world.cluster, TINY, tinySite({ release: 'two' }));
    expect((await world.apply(tinySite({ release: 'two' }), { approved })).state).toBe('failed');
    const retry = await makePlan(world.cluster, TINY, tinySite({ release: 'two' }));
    expect(
      plain(
        retry.objects
          .filter(({ action }) => action !== 'unchanged')
          .map(({ key, action }) => `${action} ${key}`),
      ),
    ).toEqual(['create Job/web-register-#']);
    world.behave({});
    expect((await world.apply(tinySite({ release: 'two' }), { approved })).state).toBe('failed');
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) =>
        Object.assign((object['metadata'] as { labels: object }).labels, {
          'app.kubernetes.io/part-of': 'mine',
        }),
      'kubectl-label',
    );
    await expect(world.apply(tinySite({ release: 'two' }), { approved })).rejects.toThrow(
      'the plan is out of date; since it was made:\n  kubectl-label has set .metadata.labels.app.kubernetes.io/part-of of Deployment/web',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { resultLines } from '../apply/result-text.ts';
import { waitSite } from '../apply/wait-site.ts';
import type { DeployEvent } from '../session/events.ts';
import { installed, plain, refTo, revisions } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { openStatus, statusNow } from './open-status.ts';
import { statusLines } from './status-text.ts';

async function statusOf(world: TinyWorld): Promise<string[]> {
  const open = await openStatus(world.cluster, TINY, world.clock);
  const lines = statusLines(await open.now());
  await open.close();
  expect(statusLines(await statusNow(world.cluster, TINY)), 'by one look').toEqual(lines);
  return plain(lines.slice(1)).map((line) => line.replaceAll(/ {2,}/g, '  '));
}

describe('status', () => {
  it('reads pods only of apps with an unready workload', async () => {
    const world = tinyWorld();
    const asked: (string | undefined)[] = [];
    const looking = {
      ...world.cluster,
      list: (
        kind: { readonly apiVersion: string; readonly kind: string },
        selection?: { readonly labelSelector?: string },
      ) => (
        kind.kind === 'Pod' && asked.push(selection?.labelSelector),
        world.cluster.list(kind, selection)
      ),
    };
    await world.apply(tinySite());
    expect((await statusNow(looking, TINY)).well).toBe(true);
    expect(asked).toEqual([]);
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two' }));
    expect((await statusNow(looking, TINY)).well).toBe(false);
    expect(asked).toEqual(['app.kubernetes.io/instance in (web)']);
  });

  it('shows each step, and the steps it waits for', async () => {
    const world = tinyWorld();
    world.behave({ web: 'no-image' });
    await world.apply(tinySite());
    expect(await statusOf(world)).toEqual([
      '  ✓ secrets',
      '  ✓ base/workload/base  2/2 pods',
      '  ✓ web/setup/database',
      '  ✓ web/job/expand',
      '  ✓ web/job/migrate',
      '  x web/workload/web  0/2 pods  0 of 2 pods are ready; pod web-#-0: the image of container "web" cannot be pulled (manifest unknown)',
      '  · web/job/contract  waits for web/workload/web',
      '  · web/job/register  waits for web/workload/web',
      '  · check base/ping  has not run yet',
      '3 of 8 steps are not done',
    ]);
  });

  it.each([
    [
      { base: 'deaf' },
      '  x base/workload/base  0/2 pods  0 of 2 pods are ready; pod base-0: container "base" fails its liveness probe: connection refused',
    ],
    [
      { base: 'no-quota' },
      '  … base/workload/base  0/2 pods  0 of 2 pods are updated; FailedCreate: pods is forbidden: exceeded quota: few',
    ],
    [
      { web: 'no-quota' },
      '  … web/workload/web  0/2 pods  0 of 2 pods are updated; FailedCreate: pods is forbidden: exceeded quota: few',
    ],
  ] as const)(
    'reports causes that only events and conditions show: %j',
    async (behaviours, line) => {
      const world = tinyWorld();
      world.behave(behaviours);
      await world.apply(tinySite());
      expect(await statusOf(world)).toContain(line);
    },
  );

  it('reports why no new pod runs before the old pods that remain, as an apply does', async () => {
    const world = await installed();
    world.behave({ web: 'no-node' });
    const why =
      'pod web-#-0: no node can run it: 0/3 nodes are available: 3 Insufficient cpu.; 2 old pods are still present';
    const applied = resultLines(await world.apply(tinySite({ release: 'two' })));
    expect(plain(applied)[0]).toBe(`x Deployment/web ${why}`);
    expect(await statusOf(world)).toContain(`  x web/workload/web  0/2 pods  ${why}`);
  });

  describe('of workloads that someone else scaled', () => {
    const scaled = async (replicas: number, manager = 'kubectl'): Promise<TinyWorld> => {
      const world = await installed();
      world.cluster.edit(
        refTo('Deployment', 'web'),
        (object) => void ((object['spec'] as { replicas: number }).replicas = replicas),
        manager,
      );
      await world.clock.sleep(10_000);
      return world;
    };
    const web = async (world: TinyWorld): Promise<string[]> =>
      (await statusOf(world)).filter(
        (line) =>
          line.includes('web/workload/web') ||
          line.endsWith('not done') ||
          line === 'the site is healthy',
      );

    it.each([
      [0, '0/2'],
      [3, '3/2'],
    ])('names the manager, although its %i pods are ready', async (replicas, pods) => {
      const world = await scaled(replicas);
      expect(await web(world)).toEqual([
        `  x web/workload/web  ${pods} pods  scaled to ${replicas} by kubectl`,
        '1 of 8 steps are not done',
      ]);
      const open = await openStatus(world.cluster, TINY, world.clock);
      const outcomes = await waitSite(world.cluster, TINY, open, {
        clock: world.clock,
        emit: () => undefined,
        signal: new AbortController().signal,
      });
      await open.close();
      expect(outcomes.get('web/workload/web')).toMatchObject({
        state: 'failed',
        failures: [
          {
            key: 'Deployment/web',
            reason: `does not match its revision: scaled to ${replicas} by kubectl, but 2 pods are wanted`,
          },
        ],
      });
    });

    it('reports a number without an owner, as the scale subresource of Kubernetes leaves it at 0', async () => {
      const world = await scaled(0);
      const { object, owners } = world.cluster.store.owned(refTo('Deployment', 'web'));
      world.cluster.store.put(refTo('Deployment', 'web'), {
        object,
        owners: owners.map((owner) => ({
          ...owner,
          fields: new Map([...owner.fields].filter(([, path]) => path.at(-1) !== 'f:replicas')),
        })),
      });
      expect(await web(world)).toContain(
        '  x web/workload/web  0/2 pods  scaled to 0 by someone else',
      );
    });

    it('reports nothing if a rule leaves the number to others, or an autoscaler sets it', async () => {
      const world = await scaled(3, 'kube-controller-manager');
      expect(
        (
          await statusNow(world.cluster, TINY, {
            rules: [{ field: 'spec.replicas', policy: 'leave' }],
          })
        ).well,
      ).toBe(true);
      expect((await statusNow(world.cluster, TINY)).well).toBe(false);
      world.cluster.store.put(
        {
          apiVersion: 'autoscaling/v2',
          kind: 'HorizontalPodAutoscaler',
          namespace: TINY.namespace,
          name: 'web',
        },
        {
          object: { metadata: {}, spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } } },
          owners: [],
        },
      );
      expect(await web(world)).toEqual(['  ✓ web/workload/web  3/3 pods', 'the site is healthy']);
    });
  });

  it('does not report an Ingress of an earlier host as done', async () => {
    const world = await installed({ expose: { ingress: { class: 'old' } } });
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two', expose: { ingress: { class: 'new' } } }));
    expect(await statusOf(world)).toContain(
      '  · web/expose/api  waits for web/workload/web; an earlier revision is still running',
    );
  });

  it('reports workloads of an earlier revision as not done until the new revision reaches them', async () => {
    const world = await installed();
    world.behave({ 'web-expand': 'crashes' });
    await world.apply(tinySite({ release: 'two', colour: 'blue' }));
    const lines = await statusOf(world);
    expect(lines).toContain(
      '  · web/workload/web  2/2 pods  waits for web/job/migrate; an earlier revision is still running',
    );
    expect(lines.at(-1)).toBe('5 of 8 steps are not done');
  });

  it('distinguishes a running apply from an interrupted one', async () => {
    const world = await installed();
    const stop = new AbortController();
    let during: string[] = [];
    const emit = async (event: DeployEvent): Promise<void> => {
      if (event.type !== 'step-started' || event.step !== 'web/job/migrate') return;
      stop.abort();
      during = statusLines(await statusNow(world.cluster, TINY));
    };
    const result = await world.apply(tinySite({ colour: 'blue' }), {
      signal: stop.signal,
      emit: (event) => void emit(event),
    });
    expect(result.state).toBe('cancelled');
    expect(during[1]).toMatch(/^ {2}tester@host \(run 2\) holds the lock, renewed at \d{4}-\S+Z$/);
    expect(await statusOf(world)).toContain(
      '  the run was interrupted: continue with ccp deploy apply tiny, or go back with ccp deploy rollback tiny',
    );
  });

  it('does not report a failure while a failed revision is applied again', async () => {
    const world = tinyWorld();
    world.behave({ web: 'no-image' });
    await world.apply(tinySite());
    const stop = new AbortController();
    await world.apply(tinySite(), {
      signal: stop.signal,
      emit: ({ type }) => type === 'revision' && stop.abort(),
    });
    expect(await revisions(world)).toEqual(['1 running']);
  });

  it('reports the postponed steps of an upgrade', async () => {
    const world = await installed();
    await world.apply(tinySite({ release: 'two' }));
    expect(await statusOf(world)).toContain(
      '  = web/job/contract  until the release is confirmed with --contract',
    );
  });

  it('follows revisions that are applied after it was opened', async () => {
    const world = await installed();
    const open = await openStatus(world.cluster, TINY, world.clock);
    const first = async (): Promise<string> =>
      plain(statusLines(await open.now(), { brief: true }))
        .slice(0, 2)
        .join()
        .replaceAll(/\d{4}-\S+Z/g, 'T');
    expect(await first()).toBe(
      'tiny in cloud on fake: revision 1, good since T, by tester@host,  ✓ 8 steps done',
    );
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two' }));
    expect(await first()).toBe(
      'tiny in cloud on fake: revision 2, failed at T, by tester@host,  ✓ 5 steps done',
    );
    await open.close();
  });

  it('watches ingress objects that are created after it was opened', async () => {
    const world = await installed();
    const open = await openStatus(world.cluster, TINY, world.clock);
    await world.apply(
      tinySite({ expose: { ingress: { class: 'public' } }, tls: { secret: 'certificate' } }),
    );
    const { steps } = await open.now();
    expect(steps.find(({ id }) => id === 'web/expose/api')).toMatchObject({ state: 'done' });
    expect(open.watch.object('Ingress/web-api')).toBeDefined();
    await open.close();
  });

  it('throws for a site that was never applied', async () => {
    await expect(statusOf(tinyWorld())).rejects.toThrow('fake has no revision of "tiny" in cloud');
  });
});

import { describe, expect, it } from 'vitest';
import type { Cluster } from '#ports';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { statusNow } from '../status/open-status.ts';
import { installed, plain, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld } from '../testing/tiny-world.ts';
import { planDeletion } from './delete-site.ts';
import { resultLines } from './result-text.ts';

const INGRESS = { expose: { ingress: { class: 'public' } }, tls: { secret: 'certificate' } };

describe('an Ingress', () => {
  it('is written when its backend runs, and not again', async () => {
    const world = tinyWorld();
    const result = await world.apply(tinySite(INGRESS));
    expect(resultLines(result)).toEqual(['tiny: revision 1 is good, 9 of 9 steps done']);
    const ended = world.events.flatMap((event) =>
      event.type === 'step-ended' ? [event.step] : [],
    );
    expect(ended.indexOf('web/expose/api')).toBeGreaterThan(ended.indexOf('web/workload/web'));
    expect(await writesOf(world, () => world.apply(tinySite(INGRESS)))).toEqual([]);
  });

  it('is the only changed object if another Secret has the certificate', async () => {
    const world = await installed(INGRESS);
    const plan = await makePlan(
      world.cluster,
      TINY,
      tinySite({ ...INGRESS, tls: { secret: 'other' } }),
    );
    expect(plain(deployPlanLines(plan)).slice(1, -1)).toEqual([
      '  ~ Ingress/web-api',
      '      spec.tls[0].secretName: certificate -> other',
    ]);
  });

  it('is deleted first if the site no longer exposes anything, and with the site', async () => {
    const world = await installed(INGRESS);
    expect((await planDeletion(world.cluster, TINY)).members[0]).toMatchObject({
      key: 'Ingress/web-api',
    });
    const gone = await writesOf(world, () => world.apply(tinySite({ web: false })));
    expect(gone.filter((write) => write.startsWith('delete'))[0]).toBe(
      'delete networking.k8s.io/v1 Ingress cloud/web-api',
    );
  });
});

describe('kinds that only some sites have', () => {
  const asked: string[] = [];
  const listening = (cluster: Cluster): Cluster => ({
    ...cluster,
    list: (kind, selection) => (asked.push(kind.kind), cluster.list(kind, selection)),
  });

  it('does not request these kinds for other sites', async () => {
    const world = await installed();
    await makePlan(listening(world.cluster), TINY, tinySite());
    expect(asked).not.toContain('Ingress');
    await makePlan(listening(world.cluster), TINY, tinySite(INGRESS));
    expect(asked).toContain('Ingress');
  });

  it('reports missing kinds before any write', async () => {
    const world = tinyWorld();
    const without: Cluster = {
      ...world.cluster,
      kinds: async () => (await world.cluster.kinds()).filter(({ kind }) => kind !== 'Ingress'),
    };
    await expect(world.apply(tinySite(INGRESS), {}, without)).rejects.toMatchObject({
      code: 'deploy-kind-unknown',
      message: 'fake does not have the kind Ingress of networking.k8s.io/v1',
    });
    expect(world.cluster.writes).toEqual([]);
  });
});

describe('a Gateway, its routes and its certificate', () => {
  const GATEWAY = {
    expose: { gateway: { class: 'shiny' } },
    tls: { secret: 'certificate', issuer: { kind: 'ClusterIssuer', name: 'letters' } },
  } as const;

  it('is done once its controllers have accepted it', async () => {
    const world = await installed(GATEWAY);
    expect(await writesOf(world, () => world.apply(tinySite(GATEWAY)))).toEqual([]);
    const { steps, well } = await statusNow(world.cluster, TINY);
    expect(
      steps
        .filter(({ id }) => /gateway|certificate|expose/.test(id))
        .map(({ id, state }) => `${id} ${state}`),
    ).toEqual(['certificate/certificate done', 'gateway done', 'web/expose/api done']);
    expect(well).toBe(true);
  });

  it('is reported as overdue if the issuer does not renew, and the site stays healthy', async () => {
    const world = await installed(GATEWAY);
    const times = { renewalTime: '2026-03-01T00:00:00Z', notAfter: '2026-03-31T00:00:00Z' };
    world.cluster.setStatus(
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        name: 'certificate',
        namespace: TINY.namespace,
      },
      { conditions: [{ type: 'Ready', status: 'True' }], ...times },
    );
    const at = async (time: string) => {
      const { steps, well } = await statusNow(world.cluster, TINY, {
        clock: { now: () => Date.parse(time) },
      });
      return [well, steps.find(({ id }) => id === 'certificate/certificate')!.reason];
    };
    expect(await at('2026-03-01T01:00:00Z')).toEqual([true, '']);
    expect(await at('2026-03-02T00:00:00Z')).toEqual([
      true,
      'should have been renewed at 2026-03-01T00:00:00Z and was not; it expires at 2026-03-31T00:00:00Z',
    ]);
  });

  it('is reported with the messages of its controllers if it is not ready', async () => {
    const world = tinyWorld();
    world.behave({ 'web-api': 'crashes', certificate: 'crashes' });
    const result = await world.apply(tinySite(GATEWAY));
    expect(resultLines(result)).toEqual([
      'x HTTPRoute/web-api no progress for 45 s: the Gateway "tiny" does not accept it: NotAllowedByListeners: no listener takes it',
      'x Certificate/certificate no progress for 600 s: is not ready: DoesNotExist: Issuing certificate as Secret does not exist',
      'tiny: revision 1 failed, 9 of 11 steps done',
    ]);
    const { steps } = await statusNow(world.cluster, TINY);
    expect(steps.find(({ id }) => id === 'web/expose/api')).toMatchObject({
      state: 'progressing',
      reason: 'the Gateway "tiny" does not accept it: NotAllowedByListeners: no listener takes it',
    });
  });

  it('is deleted by the next run if a run could not delete it', async () => {
    const world = await installed(GATEWAY);
    const once = { failed: false };
    const stubborn: Cluster = {
      ...world.cluster,
      delete: async (ref, options) => {
        if (ref.kind !== 'Gateway' || once.failed) return await world.cluster.delete(ref, options);
        once.failed = true;
        return { outcome: 'stale' };
      },
    };
    expect((await world.apply(tinySite(), {}, stubborn)).state).toBe('failed');
    expect((await world.apply(tinySite(), {}, stubborn)).state).toBe('good');
    expect(world.cluster.store.all().filter(({ kind }) => kind === 'Gateway')).toEqual([]);
  });

  it('is deleted with its exposure, except the Secret', async () => {
    const world = await installed(GATEWAY);
    const gone = await writesOf(world, () => world.apply(tinySite()));
    expect(gone.filter((write) => write.startsWith('delete'))).toEqual(
      [
        'HTTPRoute cloud/web-api',
        'HTTPRoute cloud/web-api-redirect',
        'Gateway cloud/tiny',
        'Certificate cloud/certificate',
      ].map((what) => expect.stringContaining(what)),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { omitUndefined } from '#core';
import type { KubernetesObject } from '#ports';
import { refOf, type RenderedSite } from '#site';
import { tinySite, TINY } from '#site/testing';
import { resultLines } from '../apply/result-text.ts';
import type { DeployEvent } from '../session/events.ts';
import { statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { keptClaims } from './kept-claims.ts';
import { makePlan } from './make-plan.ts';
import { deployPlanLines } from './plan-text.ts';

const CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };

const set = (claims: Readonly<Record<string, readonly [string, string?]>>): KubernetesObject => {
  const volumeClaimTemplates = Object.entries(claims).map(
    ([name, [storage, storageClassName]]) => ({
      metadata: { name },
      spec: {
        ...omitUndefined({ storageClassName }),
        resources: { requests: { storage } },
      },
    }),
  );
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'base' },
    spec: { volumeClaimTemplates },
  };
};

it.each([
  [{ data: ['1Gi', 'slow'] }, { data: ['1Gi', 'slow'], more: ['1Gi', 'fast'] }, undefined],
  [
    { data: ['1Gi', 'slow'] },
    { data: ['1Gi', 'fast'] },
    'existing claims are kept: data (1Gi of class slow; 1Gi of class fast only for new claims)',
  ],
  [
    { data: ['1Gi'] },
    { data: ['2Gi', 'fast'] },
    'existing claims are kept: data (1Gi of the default class; 2Gi of class fast only for new claims)',
  ],
] as const)('compares the claims %j and %j', (before, after, expected) => {
  expect(keptClaims(set(before), set(after))).toBe(expected);
});

it('shows kept claims in the plan of a replaced StatefulSet', async () => {
  const world = tinyWorld();
  await world.apply(tinySite());
  const lines = deployPlanLines(await makePlan(world.cluster, TINY, tinySite({ size: '2Gi' })));
  expect(lines.find((line) => line.includes('! StatefulSet/base'))).toMatch(
    /^ {2}! StatefulSet\/base cannot be changed in place: .*; existing claims are kept: data \(1Gi of class standard; 2Gi of class standard only for new claims\)$/,
  );
});

describe('claims of a class that the cluster does not have', () => {
  const text = async (world: TinyWorld, site: Parameters<typeof tinySite>[0]) =>
    deployPlanLines(await makePlan(world.cluster, TINY, tinySite(site)));
  const claims = (world: TinyWorld) =>
    world.cluster.store
      .all()
      .filter(
        ({ kind, metadata }) =>
          kind === 'PersistentVolumeClaim' && metadata.name.startsWith('data-'),
      );
  const wrong = async (): Promise<{
    readonly world: TinyWorld;
    readonly lines: readonly string[];
  }> => {
    const world = tinyWorld();
    world.cluster.store.put(
      { ...CLASS, name: 'standard' },
      { object: { metadata: {} }, owners: [] },
    );
    const result = await world.apply(tinySite({ web: false, storage: 'nosuchclass' }));
    return { world, lines: resultLines(result) };
  };

  it('reports such claims with the class, in an apply and in the status', async () => {
    const { world, lines } = await wrong();
    const why =
      'pod base-0: no node can run it: PersistentVolumeClaim data-base-0 waits for storage class nosuchclass, which does not exist';
    expect(lines[0]).toBe(`x StatefulSet/base 0 of 2 pods are ready; ${why}`);
    expect(world.clock.elapsed()).toBeLessThanOrEqual(60);
    expect(
      statusLines(await statusNow(world.cluster, TINY)).find((line) =>
        line.includes('workload/base'),
      ),
    ).toContain(why);
  });

  it('creates such claims again once the class is corrected, since they were never bound', async () => {
    const { world } = await wrong();
    const lines = await text(world, { web: false });
    expect(lines).toContain(
      '      spec.volumeClaimTemplates[data].spec.storageClassName: nosuchclass -> standard',
    );
    expect(lines).toContain(
      '  ! PersistentVolumeClaim/data-base-0 is created again with 1Gi of class standard, and Pod/base-0 with it: it requests 1Gi of class nosuchclass and was never bound, so it contains no data',
    );
    expect(lines.join()).not.toContain('claims that are there stay');
    expect((await world.apply(tinySite({ web: false }))).state).toBe('good');
    expect(claims(world)).toEqual([]);
    expect((await makePlan(world.cluster, TINY, tinySite({ web: false }))).work).toBe(false);
  });

  it('creates such claims again if the StatefulSet was corrected before', async () => {
    const { world } = await wrong();
    const [claim] = claims(world);
    await world.apply(tinySite({ web: false }));
    world.cluster.store.put(refOf(claim!), {
      object: { metadata: {}, spec: claim!['spec'], status: claim!['status'] },
      owners: [],
    });
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: TINY.namespace,
      name: 'base-0',
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await text(world, { web: false })).at(-1)).toMatch(
      /^0 to create, 0 to update, 1 to replace, 0 to prune/,
    );
    expect((await world.apply(tinySite({ web: false }))).state).toBe('good');
    expect(claims(world)).toEqual([]);
  });

  it('keeps a claim that was bound after the plan was made', async () => {
    const { world } = await wrong();
    const [claim] = claims(world);
    const bind = (event: DeployEvent): void => {
      if (event.type === 'lock' && event.state === 'taken') return;
      if (event.type === 'step-started' && event.step === 'base/workload/base')
        world.cluster.edit(
          refOf(claim!),
          (object) => void Object.assign(object['spec'] as object, { volumeName: 'pv-1' }),
        );
    };
    await world.apply(tinySite({ web: false }), { emit: bind });
    expect(claims(world).map(({ metadata }) => metadata.uid)).toEqual([claim!.metadata.uid]);
    expect((await text(world, { web: false })).join()).not.toContain('created again');
  });
});

it('creates claims of schedules again while unbound, and keeps bound ones', async () => {
  const world = tinyWorld();
  const scheduled = (storage: string): RenderedSite => {
    const site = tinySite({ storage, web: false, bases: 0 });
    return {
      ...site,
      foundation: [...site.foundation, ...site.actions.flatMap(({ claims }) => claims)],
    };
  };
  const linesOf = async (phase: string): Promise<readonly string[]> => {
    world.cluster.setStatus(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: TINY.namespace,
        name: 'base-dumps',
      },
      { phase },
    );
    return deployPlanLines(await makePlan(world.cluster, TINY, scheduled('standard')));
  };
  await world.apply(scheduled('slow'));
  expect((await linesOf('Pending')).find((line) => line.includes('base-dumps'))).toMatch(/^ {2}! /);
  expect(await linesOf('Bound')).toContain(
    '    PersistentVolumeClaim/base-dumps keeps 1Gi of class slow, because it may contain data; the site requests 1Gi of class standard',
  );
});

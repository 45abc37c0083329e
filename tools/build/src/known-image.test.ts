import { describe, expect, it } from 'vitest';
import { fakeStore } from '#ports/testing';
import { fakeRun, imageInReference, planOf } from './testing.ts';
import type { Outcome } from './types.ts';

const CLOUD = {
  'debian-base': [],
  'openstack-builder': ['debian-base'],
  'openstack-base': ['debian-base', 'openstack-builder'],
  mariadb: ['debian-base'],
  keystone: ['openstack-base', 'openstack-builder'],
};

function outcome(outcomes: readonly Outcome[], image: string): Outcome {
  return outcomes.find((one) => one.image === image)!;
}

describe('runBuild with stored images', () => {
  it('does not pull an image whose tests need no container', async () => {
    const { engines, summary } = await fakeRun(planOf(CLOUD), {
      ports: { testImage: async () => ({ checks: [], findings: [] }) },
    });
    expect(summary.every((line) => line.endsWith(': built'))).toBe(true);
    expect(engines[0]!.calls.filter(({ call }) => call === 'pull')).toEqual([]);
  });

  it('tests a stored image again, without building it, if its tests changed', async () => {
    const plan = planOf(CLOUD);
    const registry = new Map<string, string>();
    const { store } = await fakeRun(plan, { registry, store: fakeStore(registry) });
    const again = await fakeRun(plan, {
      store,
      registry,
      untested: ['openstack-base', 'mariadb'],
      unfit: ['openstack-base'],
    });
    expect(again.summary).toEqual([
      'debian-base: reused',
      'openstack-builder: reused',
      'openstack-base: failed',
      'mariadb: reused',
      'keystone: blocked',
    ]);
    expect(outcome(again.result.outcomes, 'openstack-base')).toMatchObject({
      fault: { code: 'image-tests-failed' },
    });
    expect(again.result.complete).toBe(false);
    expect(
      again.engines[0]!.calls.map(
        ({ call, reference }) => `${call} ${imageInReference(reference.replace('@', ':'))}`,
      ),
    ).toEqual(['pull openstack-base', 'pull mariadb', 'untag openstack-base', 'untag mariadb']);
  });

  it('aliases the children of a parent that was rebuilt with the same digest', async () => {
    const registry = new Map<string, string>();
    const store = fakeStore(registry);
    const same = { registry, store, behave: (image: string) => ({ content: image }) };
    await fakeRun(planOf(CLOUD), same);
    const { summary, engines } = await fakeRun(
      planOf(CLOUD, { 'debian-base': 'a comment changed' }),
      same,
    );
    expect(summary).toEqual([
      'debian-base: built',
      'openstack-builder: aliased',
      'openstack-base: aliased',
      'mariadb: aliased',
      'keystone: aliased',
    ]);
    expect(engines[0]!.calls.filter(({ call }) => call === 'build')).toHaveLength(1);
    expect(store.list()).toHaveLength(10);
  });

  it('reports an image that was rebuilt with another digest, but not its children', async () => {
    const registry = new Map<string, string>();
    const same = { registry, store: fakeStore(registry), rebuild: true };
    const plan = planOf({ a: [], b: ['a'] });
    const { result: first } = await fakeRun(plan, {
      ...same,
      behave: (image) => ({ content: `${image} at noon` }),
    });
    expect(first.outcomes.some((one) => 'before' in one)).toBe(false);
    const { result: again } = await fakeRun(plan, {
      ...same,
      behave: (image) => ({ content: `${image} at noon` }),
    });
    expect(again.outcomes.some((one) => 'before' in one)).toBe(false);
    const { result } = await fakeRun(plan, {
      ...same,
      behave: (image) => ({ content: `${image} at night` }),
    });
    const [before] = first.outcomes.map((one) => 'stored' in one && one.stored.digest);
    expect(result.outcomes.map((one) => 'before' in one && one.before)).toEqual([before, false]);
  });
});

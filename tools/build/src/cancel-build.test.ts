import { describe, expect, it } from 'vitest';
import { fakeStore } from '#ports/testing';
import { fakeRun, planOf } from './testing.ts';

const CLOUD = {
  'debian-base': [],
  'openstack-builder': ['debian-base'],
  'openstack-base': ['debian-base', 'openstack-builder'],
  mariadb: ['debian-base'],
  keystone: ['openstack-base', 'openstack-builder'],
};

describe('a cancelled runBuild', () => {
  it('stops within 2 s, and the next run continues from there', async () => {
    const registry = new Map<string, string>();
    const store = fakeStore(registry);
    const plan = planOf(CLOUD);
    const first = await fakeRun(plan, {
      registry,
      store,
      behave: (image) => ({ takes: image === 'mariadb' ? 5000 : 10_000 }),
      onEvent: (event, { abort }) =>
        event.type === 'image-started' && event.image === 'openstack-base' && abort(),
    });
    expect(first.summary).toEqual([
      'debian-base: built',
      'openstack-builder: built',
      'openstack-base: cancelled',
      'mariadb: built',
      'keystone: cancelled',
    ]);
    expect(first.result).toMatchObject({ complete: false, cancelled: true, seconds: 20 });
    const second = await fakeRun(plan, { registry, store });
    expect(second.summary).toEqual([
      'debian-base: reused',
      'openstack-builder: reused',
      'openstack-base: built',
      'mariadb: reused',
      'keystone: built',
    ]);
  });

  it('does not wait for an engine that ignores the signal', async () => {
    const { summary, result } = await fakeRun(planOf({ a: [], b: ['a'] }), {
      ports: { openContext: () => new Promise(() => undefined) },
      onEvent: (event, { abort }) => event.type === 'image-started' && abort(),
    });
    expect(summary).toEqual(['a: cancelled', 'b: cancelled']);
    expect(result.seconds).toBeLessThan(2);
  });

  it('does nothing if it is cancelled before it starts', async () => {
    const { summary, engines } = await fakeRun(planOf(CLOUD), {
      onEvent: (event, { abort }) => event.type === 'run-started' && abort(),
    });
    expect(new Set(summary.map((line) => line.split(': ')[1]))).toEqual(new Set(['cancelled']));
    expect(engines[0]!.calls).toEqual([]);
  });
});

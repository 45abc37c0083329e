import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import type { StoredImage } from '#ports';
import { fakeEngine, fakeRunner, fakeStore } from '#ports/testing';
import { fakeRun, imageOf, planOf } from './testing.ts';
import type { BuildEvent, Outcome } from './types.ts';

const CLOUD = {
  'debian-base': [],
  'openstack-builder': ['debian-base'],
  'openstack-base': ['debian-base', 'openstack-builder'],
  mariadb: ['debian-base'],
  keystone: ['openstack-base', 'openstack-builder'],
};
const stepFailed = new CcpError({ code: 'build-failed', message: 'step "[1/1] RUN make" failed with exit code 2\nno rule' });
const unreachable = new CcpError({ code: 'engine-unreachable', message: 'the engine does not answer' });

function outcome(outcomes: readonly Outcome[], image: string): Outcome {
  return outcomes.find((one) => one.image === image)!;
}

function started(events: readonly BuildEvent[]): readonly string[] {
  return events.filter((event) => event.type === 'image-started').map(({ image }) => image);
}

describe('runBuild', () => {
  it('builds, names each parent by digest in a build argument, and names every image', async () => {
    const args: Record<string, unknown> = {};
    const { summary, result, store, engines } = await fakeRun(planOf(CLOUD), {
      behave: (image, _, { buildArgs, network }) => void (args[image] = { ...buildArgs, network }),
    });
    expect(summary).toEqual(Object.keys(CLOUD).map((image) => `${image}: built`));
    expect(result).toMatchObject({ complete: true, cancelled: false, seconds: 40 });
    const digests = Object.fromEntries(store.list().map(({ image, digest }) => [image, digest]));
    expect(args['keystone']).toEqual({
      CCP_PARENT_BASE: `127.0.0.1:5000/openstack-base@${digests['openstack-base']}`,
      CCP_PARENT_EXTRA_1: `127.0.0.1:5000/openstack-builder@${digests['openstack-builder']}`,
      network: 'none',
    });
    expect(engines[0]!.peak).toBe(2);
    expect(engines[0]!.calls.filter(({ reference }) => imageOf(reference) === 'mariadb').map(({ call }) => call)).toEqual(['build', 'push', 'untag']);
  });

  it('starts the image with the longest remaining path first, by durations measured before', async () => {
    const plan = planOf({ base: [], short: ['base'], long: ['base'], chain: ['base'], 'chain-end': ['chain'] });
    const seconds: Record<string, number> = { base: 1, short: 5, long: 30, chain: 20, 'chain-end': 15 };
    const durations = { measured: (image: string) => seconds[image], record: () => undefined, save: async () => undefined };
    const { events } = await fakeRun(plan, { slots: [1], ports: { durations }, behave: (image) => ({ takes: seconds[image]! * 1000 }) });
    expect(started(events)).toEqual(['base', 'chain', 'long', 'chain-end', 'short']);
    expect(events[0]).toMatchObject({ type: 'run-started', total: 5, build: 5, slots: 1, estimate: 71, criticalPath: 36 });
  });

  it('builds the next image while one that nothing stands on is named', async () => {
    const registry = new Map<string, string>();
    const store = fakeStore(registry);
    const second = Promise.withResolvers<void>();
    const publish = async (image: StoredImage): Promise<void> => {
      if (image.image === 'first') await second.promise;
      return store.publish(image);
    };
    const { summary } = await fakeRun(planOf({ first: [], second: [] }), {
      slots: [1],
      registry,
      store: { ...store, publish },
      onEvent: (event) => {
        if (event.type === 'image-started' && event.image === 'second') second.resolve();
      },
    });
    expect(summary).toEqual(['first: built', 'second: built']);
  }, 5000);

  it('measures durations for the next run', async () => {
    const recorded: Record<string, number> = {};
    const durations = { measured: () => undefined, record: (image: string, seconds: number) => void (recorded[image] = seconds), save: async () => undefined };
    await fakeRun(planOf({ a: [], b: ['a'] }), { ports: { durations }, behave: (image) => ({ takes: image === 'a' ? 3000 : 7000 }) });
    expect(recorded).toEqual({ a: 3, b: 7 });
  });

  it('blocks the descendants of a failed image by its name and finishes its siblings', async () => {
    const named = `RUN ${'--mount=type=tmpfs,target=/run '.repeat(9)}make`;
    const { summary, result, events, store, logs } = await fakeRun(planOf(CLOUD), {
      behave: (image) => (image === 'openstack-builder' ? { step: named, output: ['make: ', '*** no rule\n', 'half a line'], fails: stepFailed } : {}),
    });
    expect(summary).toEqual(['debian-base: built', 'openstack-builder: failed', 'openstack-base: blocked', 'mariadb: built', 'keystone: blocked']);
    expect(result).toMatchObject({ complete: false, cancelled: false });
    expect(outcome(result.outcomes, 'keystone')).toMatchObject({ by: ['openstack-builder'] });
    const log = join(logs, 'openstack-builder.log');
    expect(outcome(result.outcomes, 'openstack-builder')).toMatchObject({
      fault: { code: 'build-failed', message: stepFailed.message },
      lastLines: ['make: *** no rule'],
      log,
      engine: 'engine-1',
      seconds: 10,
    });
    const step = '[1/1] RUN make';
    expect(events).toContainEqual({ type: 'step', at: 20_000, image: 'openstack-builder', name: step, state: 'failed' });
    expect(readFileSync(log, 'utf8')).toBe(
      [
        '    0.000 [gather inputs] started',
        '    0.000 [gather inputs] done',
        `    0.000 [${step}] started`,
        `   10.000 [${step}] make: *** no rule`,
        `   10.000 [${step}] failed`,
        `   10.000 [${step}] half a line`,
        '',
      ].join('\n'),
    );
    expect(
      store
        .list()
        .map(({ image }) => image)
        .sort(),
    ).toEqual(['debian-base', 'mariadb']);
  });

  it('does not name an image whose tests find something', async () => {
    const { summary, result, store } = await fakeRun(planOf(CLOUD), { unfit: ['openstack-base'] });
    expect(summary).toEqual(['debian-base: built', 'openstack-builder: built', 'openstack-base: failed', 'mariadb: built', 'keystone: blocked']);
    expect(outcome(result.outcomes, 'openstack-base')).toMatchObject({
      fault: { code: 'image-tests-failed', message: 'the tests of openstack-base found a fault:\n- /bin/x is setuid' },
    });
    expect(store.list().some(({ image }) => image === 'openstack-base')).toBe(false);
  });

  it('tests a stored image again whose tests changed, without building it, and fails it where they find something', async () => {
    const plan = planOf(CLOUD);
    const registry = new Map<string, string>();
    const { store } = await fakeRun(plan, { registry, store: fakeStore(registry) });
    const again = await fakeRun(plan, { store, registry, untested: ['openstack-base', 'mariadb'], unfit: ['openstack-base'] });
    expect(again.summary).toEqual(['debian-base: reused', 'openstack-builder: reused', 'openstack-base: failed', 'mariadb: reused', 'keystone: blocked']);
    expect(outcome(again.result.outcomes, 'openstack-base')).toMatchObject({ fault: { code: 'image-tests-failed' } });
    expect(again.result.complete).toBe(false);
    expect(again.engines[0]!.calls.map(({ call, reference }) => `${call} ${imageOf(reference.replace('@', ':'))}`)).toEqual([
      'pull openstack-base',
      'pull mariadb',
      'untag openstack-base',
      'untag mariadb',
    ]);
  });

  it('leaves no image on the engine, those that others stand on until the run ends', async () => {
    const { engines } = await fakeRun(planOf(CLOUD), { unfit: ['mariadb'] });
    const calls = engines[0]!.calls;
    const left = new Set<string>();
    for (const { call, reference } of calls) {
      if (call === 'build' || call === 'pull') left.add(reference);
      if (call === 'untag') left.delete(reference);
    }
    expect([...left]).toEqual([]);
    const last = (call: string, name: string): number => calls.findLastIndex((one) => one.call === call && imageOf(one.reference.replace('@', ':')) === name);
    expect(last('untag', 'debian-base')).toBeGreaterThan(last('build', 'keystone'));
  });

  it('tries again after a transient fault, with growing waits', async () => {
    const { summary, events } = await fakeRun(planOf({ a: [] }), { behave: (_, attempt) => (attempt < 3 ? { fails: unreachable } : {}) });
    expect(summary).toEqual(['a: built']);
    const waits = events.filter((event) => event.type === 'retry').map(({ waitMs }) => waitMs);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[1]).toBeGreaterThanOrEqual(1000);
    expect(waits[1]).toBeLessThanOrEqual(2000);
  });

  it('says what the store says where it refused a push', async () => {
    const registry = new Map<string, string>();
    const full = new CcpError({ code: 'store-full', message: 'no space left for the image store', hint: 'free disk space' });
    const denied = new CcpError({ code: 'engine-disk-full', message: 'the disk of the engine is full (denied: no space left)', hint: 'docker system prune' });
    const engine = { ...fakeEngine({ registry, behave: () => ({ takes: 0 }) }), push: () => Promise.reject(denied) };
    const { result } = await fakeRun(planOf({ a: [] }), {
      store: { ...fakeStore(registry), refusal: () => full },
      ports: { engines: [{ engine, runner: fakeRunner(), slots: 1 }] },
    });
    expect(outcome(result.outcomes, 'a')).toMatchObject({ fault: { code: 'store-full', message: full.message, hint: 'free disk space' } });
  });

  it('does not try a failing step again', async () => {
    const { engines } = await fakeRun(planOf({ a: [] }), { behave: () => ({ fails: stepFailed }) });
    expect(engines[0]!.calls.filter(({ call }) => call === 'build')).toHaveLength(1);
  });

  it('gives the images of a dead engine to another one', async () => {
    const { summary, result, engines } = await fakeRun(planOf({ a: [], b: [], c: ['a'], d: ['b'] }), {
      slots: [1, 1],
      onEvent: (event, { engines: [first] }) => event.type === 'step' && event.image === 'b' && first!.die(),
    });
    expect(summary).toEqual(['a: built', 'b: built', 'c: built', 'd: built']);
    expect(result.outcomes.map((one) => ('engine' in one ? one.engine : ''))).toEqual(Array(4).fill('engine-2'));
    expect(engines[0]!.calls.filter(({ call }) => call === 'push')).toEqual([]);
  });

  it.each(['engine-failed', 'engine-unreachable'])('tests an image elsewhere where its engine goes in the middle of the tests: %s', async (code) => {
    const codes = [code];
    const registry = new Map<string, string>();
    const dying = { ...fakeRunner(), run: () => Promise.reject(new CcpError({ code: codes.shift() ?? 'engine-unreachable', message: 'gone' })) };
    const engines = [dying, fakeRunner()].map((runner, index) => ({
      engine: fakeEngine({ name: `engine-${index + 1}`, registry, behave: () => ({ takes: 0 }) }),
      runner,
      slots: 1,
    }));
    const { result, events } = await fakeRun(planOf({ a: [] }), {
      store: fakeStore(registry),
      ports: {
        engines,
        testImage: async ({ runner }) => {
          await runner.run({ image: 'a', network: 'none' });
          return { checks: ['user'], findings: [] };
        },
      },
    });
    expect(outcome(result.outcomes, 'a')).toMatchObject({ type: 'built', engine: 'engine-2' });
    expect(events.filter(({ type }) => type === 'retry')).toHaveLength(3);
  });

  it('fails what is ready, and blocks the rest, when the only engine is gone', async () => {
    const { summary, result } = await fakeRun(planOf({ a: [], b: [], c: ['a'] }), {
      slots: [1],
      onEvent: (event, { engines: [only] }) => event.type === 'step' && only!.die(),
    });
    expect(summary).toEqual(['a: failed', 'b: failed', 'c: blocked']);
    expect(outcome(result.outcomes, 'b')).toMatchObject({ fault: { code: 'engine-unreachable', message: 'the engine engine-1 does not answer' } });
  });

  it('cancels within 2 s and goes on from there in the next run', async () => {
    const registry = new Map<string, string>();
    const store = fakeStore(registry);
    const plan = planOf(CLOUD);
    const first = await fakeRun(plan, {
      registry,
      store,
      behave: (image) => ({ takes: image === 'mariadb' ? 5000 : 10_000 }),
      onEvent: (event, { abort }) => event.type === 'image-started' && event.image === 'openstack-base' && abort(),
    });
    expect(first.summary).toEqual(['debian-base: built', 'openstack-builder: built', 'openstack-base: cancelled', 'mariadb: built', 'keystone: cancelled']);
    expect(first.result).toMatchObject({ complete: false, cancelled: true, seconds: 20 });
    const second = await fakeRun(plan, { registry, store });
    expect(second.summary).toEqual(['debian-base: reused', 'openstack-builder: reused', 'openstack-base: built', 'mariadb: reused', 'keystone: built']);
  });

  it('does not wait for an engine that ignores the signal', async () => {
    const { summary, result } = await fakeRun(planOf({ a: [], b: ['a'] }), {
      ports: { openContext: () => new Promise(() => undefined) },
      onEvent: (event, { abort }) => event.type === 'image-started' && abort(),
    });
    expect(summary).toEqual(['a: cancelled', 'b: cancelled']);
    expect(result.seconds).toBeLessThan(2);
  });

  it('does nothing where the run was cancelled before it began', async () => {
    const { summary, engines } = await fakeRun(planOf(CLOUD), { onEvent: (event, { abort }) => event.type === 'run-started' && abort() });
    expect(new Set(summary.map((line) => line.split(': ')[1]))).toEqual(new Set(['cancelled']));
    expect(engines[0]!.calls).toEqual([]);
  });

  it('aliases the children of a parent that was rebuilt to the same digest', async () => {
    const registry = new Map<string, string>();
    const store = fakeStore(registry);
    const same = { registry, store, behave: (image: string) => ({ content: image }) };
    await fakeRun(planOf(CLOUD), same);
    const { summary, engines } = await fakeRun(planOf(CLOUD, { 'debian-base': 'a comment changed' }), same);
    expect(summary).toEqual(['debian-base: built', 'openstack-builder: aliased', 'openstack-base: aliased', 'mariadb: aliased', 'keystone: aliased']);
    expect(engines[0]!.calls.filter(({ call }) => call === 'build')).toHaveLength(1);
    expect(store.list()).toHaveLength(10);
  });

  it('tells of an image that is built again to other bytes, and not of its children', async () => {
    const registry = new Map<string, string>();
    const same = { registry, store: fakeStore(registry), rebuild: true };
    const plan = planOf({ a: [], b: ['a'] });
    const { result: first } = await fakeRun(plan, { ...same, behave: (image) => ({ content: `${image} at noon` }) });
    expect(first.outcomes.some((one) => 'before' in one)).toBe(false);
    const { result: again } = await fakeRun(plan, { ...same, behave: (image) => ({ content: `${image} at noon` }) });
    expect(again.outcomes.some((one) => 'before' in one)).toBe(false);
    const { result } = await fakeRun(plan, { ...same, behave: (image) => ({ content: `${image} at night` }) });
    const [before] = first.outcomes.map((one) => 'stored' in one && one.stored.digest);
    expect(result.outcomes.map((one) => 'before' in one && one.before)).toEqual([before, false]);
  });

  it('refuses a plan without a parent, and one that nothing can build', async () => {
    const [, child] = planOf({ a: [], b: ['a'] }).images;
    await expect(fakeRun({ ...planOf({}), images: [child!] })).rejects.toThrow('the plan has b but not its parent a before it');
    await expect(fakeRun(planOf({ a: [] }), { slots: [] })).rejects.toThrow('there is no engine to build 1 image on');
  });

  it('tells progress to the end', async () => {
    const { events } = await fakeRun(planOf({ a: [], b: ['a'] }), { slots: [1] });
    const told = events.filter((event) => event.type === 'progress').map(({ done, eta, running }) => ({ done, eta, step: running[0]?.step }));
    expect(told[0]).toEqual({ done: 0, eta: 120, step: 'gather inputs' });
    expect(told.find(({ step }) => step === 'push')).toEqual({ done: 0, eta: 110, step: 'push' });
    expect(told.at(-1)).toEqual({ done: 2, eta: 0, step: undefined });
    expect(events.at(-1)).toMatchObject({ type: 'run-finished', result: { complete: true } });
  });
});

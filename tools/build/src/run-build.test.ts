import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import type { StoredImage } from '#ports';
import { fakeStore } from '#ports/testing';
import { fakeRun, imageInReference, planOf } from './testing.ts';
import type { BuildEvent, Outcome } from './types.ts';

const CLOUD = {
  'debian-base': [],
  'openstack-builder': ['debian-base'],
  'openstack-base': ['debian-base', 'openstack-builder'],
  mariadb: ['debian-base'],
  keystone: ['openstack-base', 'openstack-builder'],
};
const stepFailed = new CcpError({
  code: 'build-failed',
  message: 'step "[1/1] RUN make" failed with exit code 2\nno rule',
});

function outcome(outcomes: readonly Outcome[], image: string): Outcome {
  return outcomes.find((one) => one.image === image)!;
}

function started(events: readonly BuildEvent[]): readonly string[] {
  return events.filter((event) => event.type === 'image-started').map(({ image }) => image);
}

describe('runBuild', () => {
  it('builds and names all images, with build arguments for parents by digest', async () => {
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
    expect(
      engines[0]!.calls
        .filter(({ reference }) => imageInReference(reference) === 'mariadb')
        .map(({ call }) => call),
    ).toEqual(['build', 'push', 'untag']);
  });

  it('starts the image with the longest remaining path first, by the durations of earlier runs', async () => {
    const plan = planOf({
      base: [],
      short: ['base'],
      long: ['base'],
      chain: ['base'],
      'chain-end': ['chain'],
    });
    const seconds: Record<string, number> = {
      base: 1,
      short: 5,
      long: 30,
      chain: 20,
      'chain-end': 15,
    };
    const durations = {
      measured: (image: string) => seconds[image],
      record: () => undefined,
      save: async () => undefined,
    };
    const { events } = await fakeRun(plan, {
      slots: [1],
      ports: { durations },
      behave: (image) => ({ takes: seconds[image]! * 1000 }),
    });
    expect(started(events)).toEqual(['base', 'chain', 'long', 'chain-end', 'short']);
    expect(events[0]).toMatchObject({
      type: 'run-started',
      total: 5,
      build: 5,
      slots: 1,
      estimate: 71,
      criticalPath: 36,
    });
  });

  it('builds the next image while an image without children is being named', async () => {
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

  it('records durations for the next run', async () => {
    const recorded: Record<string, number> = {};
    const durations = {
      measured: () => undefined,
      record: (image: string, seconds: number) => void (recorded[image] = seconds),
      save: async () => undefined,
    };
    await fakeRun(planOf({ a: [], b: ['a'] }), {
      ports: { durations },
      behave: (image) => ({ takes: image === 'a' ? 3000 : 7000 }),
    });
    expect(recorded).toEqual({ a: 3, b: 7 });
  });

  it('blocks the descendants of a failed image and finishes its siblings', async () => {
    const named = `RUN ${'--mount=type=tmpfs,target=/run '.repeat(9)}make`;
    const { summary, result, events, store, logs } = await fakeRun(planOf(CLOUD), {
      behave: (image) =>
        image === 'openstack-builder'
          ? { step: named, output: ['make: ', '*** no rule\n', 'half a line'], fails: stepFailed }
          : {},
    });
    expect(summary).toEqual([
      'debian-base: built',
      'openstack-builder: failed',
      'openstack-base: blocked',
      'mariadb: built',
      'keystone: blocked',
    ]);
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
    expect(events).toContainEqual({
      type: 'step',
      at: 20_000,
      image: 'openstack-builder',
      name: step,
      state: 'failed',
    });
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

  it('names all failed ancestors of a blocked image, whenever they fail', async () => {
    const plan = planOf({ slow: [], quick: [], child: ['slow', 'quick'], last: ['child'] });
    const { result, events } = await fakeRun(plan, {
      behave: (image) => ({ takes: image === 'slow' ? 30_000 : 5000, fails: stepFailed }),
    });
    const blocked = result.outcomes.filter(({ type }) => type === 'blocked');
    expect(blocked.map((each) => [each.image, 'by' in each && each.by])).toEqual([
      ['child', ['quick', 'slow']],
      ['last', ['quick', 'slow']],
    ]);
    expect(
      events.flatMap((event) => (event.type === 'image-finished' ? [event.outcome.image] : [])),
    ).toEqual(['quick', 'slow', 'child', 'last']);
  });

  it('keeps an image blocked if the run is cancelled after an ancestor failed', async () => {
    const plan = planOf({ slow: [], quick: [], child: ['slow', 'quick'] });
    const { summary } = await fakeRun(plan, {
      behave: (image) => (image === 'quick' ? { takes: 1, fails: stepFailed } : {}),
      onEvent: (event, { abort }) => {
        if (event.type === 'image-finished') abort();
      },
    });
    expect(summary).toEqual(['slow: cancelled', 'quick: failed', 'child: blocked']);
  });

  it('does not name an image whose tests fail', async () => {
    const { summary, result, store } = await fakeRun(planOf(CLOUD), { unfit: ['openstack-base'] });
    expect(summary).toEqual([
      'debian-base: built',
      'openstack-builder: built',
      'openstack-base: failed',
      'mariadb: built',
      'keystone: blocked',
    ]);
    expect(outcome(result.outcomes, 'openstack-base')).toMatchObject({
      fault: {
        code: 'image-tests-failed',
        message: 'the tests of openstack-base failed with 1 finding:\n- /bin/x is setuid',
      },
    });
    expect(store.list().some(({ image }) => image === 'openstack-base')).toBe(false);
  });

  it('removes all image names from the engine, names of parents at the end of the run', async () => {
    const { engines } = await fakeRun(planOf(CLOUD), { unfit: ['mariadb'] });
    const calls = engines[0]!.calls;
    const left = new Set<string>();
    for (const { call, reference } of calls) {
      if (call === 'build' || call === 'pull') left.add(reference);
      if (call === 'untag') left.delete(reference);
    }
    expect([...left]).toEqual([]);
    const last = (call: string, name: string): number =>
      calls.findLastIndex(
        (one) => one.call === call && imageInReference(one.reference.replace('@', ':')) === name,
      );
    expect(last('untag', 'debian-base')).toBeGreaterThan(last('build', 'keystone'));
  });

  it('refuses a plan without a parent, and a plan without an engine', async () => {
    const [, child] = planOf({ a: [], b: ['a'] }).images;
    await expect(fakeRun({ ...planOf({}), images: [child!] })).rejects.toThrow(
      'the plan does not list a, a parent of b, before b',
    );
    await expect(fakeRun(planOf({ a: [] }), { slots: [] })).rejects.toThrow(
      expect.objectContaining({
        message: 'no engine is available to build 1 image',
        hint: 'name a running engine with --engine, DOCKER_HOST or "engines" in .ccp.yaml; without these settings, ccp starts an engine',
      }),
    );
  });

  it('reports progress until the end', async () => {
    const { events } = await fakeRun(planOf({ a: [], b: ['a'] }), { slots: [1] });
    const progress = events
      .filter((event) => event.type === 'progress')
      .map(({ done, eta, running }) => ({ done, eta, step: running[0]?.step }));
    expect(progress[0]).toEqual({ done: 0, eta: 120, step: 'gather inputs' });
    expect(progress.find(({ step }) => step === 'push')).toEqual({
      done: 0,
      eta: 110,
      step: 'push',
    });
    expect(progress.at(-1)).toEqual({ done: 2, eta: 0, step: undefined });
    expect(events.at(-1)).toMatchObject({ type: 'run-finished', result: { complete: true } });
  });
});

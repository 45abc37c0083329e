import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { fakeEngine, fakeRunner, fakeStore } from '#ports/testing';
import { fakeRun, planOf } from './testing.ts';
import type { Outcome } from './types.ts';

const stepFailed = new CcpError({
  code: 'build-failed',
  message: 'step "[1/1] RUN make" failed with exit code 2\nno rule',
});
const unreachable = new CcpError({
  code: 'engine-unreachable',
  message: 'the engine does not answer',
});

function outcome(outcomes: readonly Outcome[], image: string): Outcome {
  return outcomes.find((one) => one.image === image)!;
}

describe('runBuild with failing engines', () => {
  it('retries after a transient fault, with increasing waits', async () => {
    const { summary, events } = await fakeRun(planOf({ a: [] }), {
      behave: (_, attempt) => (attempt < 3 ? { fails: unreachable } : {}),
    });
    expect(summary).toEqual(['a: built']);
    const waits = events.filter((event) => event.type === 'retry').map(({ waitMs }) => waitMs);
    expect(waits).toHaveLength(2);
    expect(waits[0]).toBeGreaterThanOrEqual(500);
    expect(waits[1]).toBeGreaterThanOrEqual(1000);
    expect(waits[1]).toBeLessThanOrEqual(2000);
  });

  it('reports the store’s error if it refused a push', async () => {
    const registry = new Map<string, string>();
    const full = new CcpError({
      code: 'store-full',
      message: 'no space left for the image store',
      hint: 'free disk space',
    });
    const denied = new CcpError({
      code: 'engine-disk-full',
      message: 'the disk of the engine is full (denied: no space left)',
      hint: 'docker system prune',
    });
    const engine = {
      ...fakeEngine({ registry, behave: () => ({ takes: 0 }) }),
      push: () => Promise.reject(denied),
    };
    const { result } = await fakeRun(planOf({ a: [] }), {
      store: { ...fakeStore(registry), refusal: () => full },
      ports: { engines: [{ engine, runner: fakeRunner(), slots: 1 }] },
    });
    expect(outcome(result.outcomes, 'a')).toMatchObject({
      fault: { code: 'store-full', message: full.message, hint: 'free disk space' },
    });
  });

  it('builds without cache after the engine lost a cached layer', async () => {
    const lost = new CcpError({ code: 'engine-layer-lost', message: 'a layer is gone' });
    const caches: boolean[] = [];
    const registry = new Map<string, string>();
    const engine = fakeEngine({
      registry,
      behave: ({ noCache }) => {
        caches.push(!noCache);
        return noCache ? { takes: 0 } : { fails: lost };
      },
    });
    const { summary } = await fakeRun(planOf({ a: [] }), {
      store: fakeStore(registry),
      ports: { engines: [{ engine, runner: fakeRunner(), slots: 1 }] },
    });
    expect(summary).toEqual(['a: built']);
    expect(caches).toEqual([true, false]);
  });

  it('does not retry a failing step', async () => {
    const { engines } = await fakeRun(planOf({ a: [] }), { behave: () => ({ fails: stepFailed }) });
    expect(engines[0]!.calls.filter(({ call }) => call === 'build')).toHaveLength(1);
  });

  it('builds the images of a dead engine on another one', async () => {
    const { summary, result, engines } = await fakeRun(
      planOf({ a: [], b: [], c: ['a'], d: ['b'] }),
      {
        slots: [1, 1],
        onEvent: (event, { engines: [first] }) =>
          event.type === 'step' && event.image === 'b' && first!.die(),
      },
    );
    expect(summary).toEqual(['a: built', 'b: built', 'c: built', 'd: built']);
    expect(result.outcomes.map((one) => ('engine' in one ? one.engine : ''))).toEqual(
      Array(4).fill('engine-2'),
    );
    expect(engines[0]!.calls.filter(({ call }) => call === 'push')).toEqual([]);
  });

  it.each(['engine-failed', 'engine-unreachable'])(
    'tests an image on another engine if its engine fails during the tests: %s',
    async (code) => {
      const codes = [code];
      const registry = new Map<string, string>();
      const dying = {
        ...fakeRunner(),
        run: () =>
          Promise.reject(
            new CcpError({
              code: codes.shift() ?? 'engine-unreachable',
              message: 'connection lost',
            }),
          ),
      };
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
    },
  );

  it.each([
    ['engine-unreachable', 'built', 7],
    ['engine-failed', 'failed', 3],
  ])('retries on the only engine: %s', async (code, type, retries) => {
    let faults = 7;
    const registry = new Map<string, string>();
    const runner = {
      ...fakeRunner(),
      run: () =>
        faults-- > 0
          ? Promise.reject(new CcpError({ code, message: 'connection lost' }))
          : Promise.resolve({ exitCode: 0, stdout: '', stderr: '' }),
    };
    const engine = fakeEngine({ name: 'engine-1', registry, behave: () => ({ takes: 0 }) });
    const { result, events } = await fakeRun(planOf({ a: [] }), {
      store: fakeStore(registry),
      ports: {
        engines: [{ engine, runner, slots: 1 }],
        testImage: async ({ runner: tested }) => {
          await tested.run({ image: 'a', network: 'none' });
          return { checks: ['user'], findings: [] };
        },
      },
    });
    expect(outcome(result.outcomes, 'a').type).toBe(type);
    const waits = events.flatMap((event) => (event.type === 'retry' ? [event.waitMs] : []));
    expect(waits).toHaveLength(retries);
  });

  it('fails ready images and blocks the others if the only engine dies', async () => {
    const { summary, result } = await fakeRun(planOf({ a: [], b: [], c: ['a'] }), {
      slots: [1],
      onEvent: (event, { engines: [only] }) => event.type === 'step' && only!.die(),
    });
    expect(summary).toEqual(['a: failed', 'b: failed', 'c: blocked']);
    expect(outcome(result.outcomes, 'b')).toMatchObject({
      fault: { code: 'engine-unreachable', message: 'the engine engine-1 does not respond' },
    });
  });
});

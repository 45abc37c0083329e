import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectCluster } from '#engines';
import type { Clock, Cluster } from '#ports';
import {
  startFakeApiServer,
  type ApiFault,
  type ApiFaults,
  type FaultTarget,
} from '#ports/testing';
import { deleteSite, findRollback, openStatus, runAction, statusLines, waitSite } from '#rollout';
import { endState } from '../../tools/rollout/src/testing/killing-cluster.ts';
import { tinyWorld, type TinyWorld } from '../../tools/rollout/src/testing/tiny-world.ts';
import { TINY, tinySite } from '../../tools/site/src/testing/tiny-site.ts';
import { quickClock } from '../helpers/quick-clock.ts';

/** Speed of the rollout's clock relative to real time; requests are not accelerated. */
const PACE = 10;
/** Maximum repetitions of a verb until it succeeds. */
const TRIES = 12;

type Verb = (cluster: Cluster, world: TinyWorld, clock: Clock) => Promise<boolean>;
const options = (clock: Clock) => ({
  by: 'tester@host',
  run: String(Math.random()),
  clock,
  emit: () => undefined,
});
const isGood = (state: string): boolean => state === 'good' || state === 'unchanged';
const dump = tinySite().actions.find(({ kind }) => kind === 'action')!;

const VERBS: Readonly<Record<string, Verb>> = {
  install: async (cluster, world, clock) =>
    isGood((await world.apply(tinySite(), { clock }, cluster)).state),
  upgrade: async (cluster, world, clock) =>
    isGood(
      (
        await world.apply(
          tinySite({
            release: 'two',
            colour: 'blue',
            bases: 3,
            expose: { gateway: { class: 'shiny' } },
            tls: { secret: 'certificate' },
          }),
          { clock },
          cluster,
        )
      ).state,
    ),
  'action run': async (cluster, _, clock) =>
    (
      await runAction(
        cluster,
        TINY,
        { action: dump, parameters: { name: 'x', fast: true }, revision: 2 },
        options(clock),
      )
    ).run.state === 'good',
  rollback: async (cluster, world, clock) => {
    const { record, rendered } = await findRollback(cluster, TINY, 1);
    return isGood(
      (await world.apply(rendered, { rollbackTo: record.revision, clock }, cluster)).state,
    );
  },
  'status and wait': async (cluster, _, clock) => {
    const open = await openStatus(cluster, TINY, clock);
    const outcomes = await waitSite(cluster, TINY, open, {
      ...options(clock),
      signal: new AbortController().signal,
    });
    const lines = statusLines(await open.now());
    await open.close();
    return (
      lines.at(-1) === 'the site is healthy' &&
      [...outcomes.values()].every(({ state }) => state === 'done' || state === 'deferred')
    );
  },
  delete: async (cluster, _, clock) =>
    (await deleteSite(cluster, TINY, { ...options(clock), claims: true, secrets: true })).failures
      .length === 0,
};

/**
 * State of the cluster after each verb, run with a real client until it succeeds, and the number of
 * repetitions.
 */
async function afterEach(
  inject: (faults: ApiFaults) => void,
): Promise<{ readonly states: Record<string, unknown>; readonly again: number }> {
  const world = tinyWorld();
  const server = await startFakeApiServer(world.cluster, { bookmarkMs: 20 });
  const folder = mkdtempSync(join(tmpdir(), 'ccp-faults-'));
  writeFileSync(join(folder, 'config'), server.kubeconfig);
  const waits = { firstWaitMs: 2, longestWaitMs: 10 };
  const { cluster, close } = await connectCluster({
    kubeconfig: join(folder, 'config'),
    retry: { ...waits, unknownMs: 300, knownMs: 1000 },
    watchLimits: { ...waits, idleMs: 200 },
    pageSize: 7,
  });
  const states: Record<string, unknown> = {};
  let again = 0;
  inject(server.faults);
  try {
    for (const [name, verb] of Object.entries(VERBS)) {
      for (let tries = 0; ; tries++) {
        const clock = quickClock(PACE);
        const done = await verb(cluster, world, clock).catch((error: unknown) =>
          tries === TRIES ? Promise.reject(error) : false,
        );
        if (done) break;
        if (tries === TRIES) throw new Error(`${name} does not end well`);
        again += 1;
      }
      states[name] = endState(world.cluster);
    }
    return { states, again };
  } finally {
    close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

const WATCHES: FaultTarget = { method: 'GET', path: 'watch=', times: Infinity };
const rows: readonly (readonly [string, ApiFault, readonly FaultTarget[]])[] = [
  [
    'connections lost after a write',
    { fault: 'drop', when: 'after' },
    ['PATCH', 'POST', 'PUT', 'DELETE'].map((method) => ({ method, times: Infinity, every: 3 })),
  ],
  [
    'connections lost before a request',
    { fault: 'drop', when: 'before' },
    [{ times: Infinity, every: 5 }],
  ],
  [
    'version conflicts (409)',
    { fault: 'status', code: 409, reason: 'Conflict' },
    [
      { method: 'PUT', times: 3, every: 2 },
      { method: 'DELETE', times: 5, every: 4 },
      { method: 'PATCH', times: 5, every: 29 },
    ],
  ],
  [
    'an overloaded server (429)',
    { fault: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0 },
    [{ times: Infinity, every: 3 }],
  ],
  [
    'a failing server (500, 503)',
    { fault: 'status', code: 503, reason: 'ServiceUnavailable' },
    [{ times: Infinity, every: 4 }],
  ],
  ['watches that say nothing', { fault: 'silence' }, [{ ...WATCHES, every: 2 }]],
  ['watches that break off', { fault: 'cut' }, [{ ...WATCHES, every: 2 }]],
  [
    'expired versions (410)',
    { fault: 'status', code: 410, reason: 'Expired' },
    [{ ...WATCHES, every: 2 }],
  ],
];

describe.concurrent('every verb, through the client', () => {
  const undisturbed = afterEach(() => undefined);

  it.each(rows)('has the same result with %s', { timeout: 60_000 }, async (_, fault, targets) => {
    const { states, again } = await undisturbed;
    const faulty = await afterEach((faults) =>
      targets.forEach((target) => faults.inject(fault, target)),
    );
    expect(again).toBe(0);
    expect(faulty.states).toEqual(states);
  });
});

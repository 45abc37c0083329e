import { describe, expect, it } from 'vitest';
import { systemClock, type PodExec } from '#ports';
import { fakeCluster, type FakeCluster } from '#ports/testing';
import { applySite, lockHolder, readRuns, type ActionRun } from '#rollout';
import { refOf } from '#site';
import { TINY, tinySite } from '#site/testing';
import type { RunningSite } from './open-site.ts';
import { transferRun, withTransfer } from './transfer-backup.ts';

const ID = 'mariadb/transfer-backup';
const runOf = (run: number, more: Partial<ActionRun> = {}): ActionRun => ({
  format: 1,
  run,
  action: ID,
  kind: 'action',
  parameters: { name: 'nightly' },
  revision: 2,
  job: `job-${run}`,
  state: 'running',
  startedAt: '2026-01-02T03:04:05Z',
  by: 'tester@host',
  ...more,
});

it('finds the own run among runs that a killed ccp has left', () => {
  const runs = [
    runOf(1, { parameters: { name: 'latest' } }),
    runOf(2, { revision: 1 }),
    runOf(3, { state: 'good' }),
    runOf(4, { action: 'mariadb/backup' }),
    runOf(5),
  ];
  const wanted = { id: ID, revision: 2, backup: 'nightly' };
  expect(transferRun(runs, wanted)?.run).toBe(5);
  expect(transferRun(runs.slice(0, 4), wanted)).toBeUndefined();
});

describe('a transfer', () => {
  const setUp = async () => {
    const cluster = fakeCluster({
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TINY.namespace } }],
    });
    const site = tinySite();
    const dump = site.actions.find(({ id }) => id === 'base/dump')!;
    const action = { ...dump, id: 'base/transfer-backup', parameters: NAME };
    const rendered = { ...site, actions: [action] };
    await applySite(cluster, TINY, { ...rendered, foundation: [], steps: [] }, engine());
    return cluster;
  };
  const engine = (signal = new AbortController().signal) => ({
    by: 'tester@host',
    run: 'run x',
    clock: systemClock,
    emit: () => undefined,
    signal,
  });
  const NAME = { name: { description: 'Its name.', type: 'text', pattern: '[a-z]+' } } as const;

  /** Runs the pod of the Job; the Job ends when `end` is called in the pod. */
  const kubelet = (cluster: FakeCluster) => {
    const job = () => cluster.store.all().find(({ kind }) => kind === 'Job')!;
    cluster.store.listen(({ type, object }) => {
      if (object.kind !== 'Job' || type !== 'ADDED') return;
      cluster.store.put(
        { apiVersion: 'v1', kind: 'Pod', namespace: TINY.namespace, name: 'transfer' },
        {
          object: {
            metadata: {
              name: 'transfer',
              namespace: TINY.namespace,
              labels: { 'batch.kubernetes.io/job-name': object.metadata.name },
            },
            status: { phase: 'Running' },
          },
          owners: [],
        },
      );
    });
    return () =>
      cluster.setStatus(refOf(job()), {
        succeeded: 1,
        conditions: [{ type: 'Complete', status: 'True' }],
      });
  };

  it('takes no lock, so that others can change the site', async () => {
    const cluster = await setUp();
    const end = kubelet(cluster);
    const exec: PodExec = async (_, [, , word]) => {
      if (word === 'end') end();
    };
    const running = { cluster, exec, site: TINY, engine: engine() } as unknown as RunningSite;
    const holder = await withTransfer(running, 'base', 'nightly', () => lockHolder(cluster, TINY));
    expect(holder).toBeUndefined();
    expect((await readRuns(cluster, TINY)).map(({ state }) => state)).toEqual(['good']);
  });

  it('is stopped by Ctrl-C, and its action ends', async () => {
    const cluster = await setUp();
    const end = kubelet(cluster);
    const stop = new AbortController();
    const exec: PodExec = async (_, [, , word], { signal } = {}) => {
      if (word === 'end') return void end();
      stop.abort();
      signal!.throwIfAborted();
    };
    const running = {
      ...{ cluster, exec, site: TINY },
      engine: engine(stop.signal),
    } as unknown as RunningSite;
    await expect(
      withTransfer(running, 'base', 'nightly', (program) => program(['send', 'dump.sql.gz'])),
    ).rejects.toMatchObject({ name: 'AbortError' });
    expect((await readRuns(cluster, TINY)).map(({ state }) => state)).toEqual(['good']);
  });
});

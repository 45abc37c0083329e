import { expect, it } from 'vitest';
import { systemClock } from '#ports';
import { fakeCluster } from '#ports/testing';
import { applySite } from '#rollout';
import { refOf } from '#site';
import { TINY, tinySite } from '#site/testing';
import type { CommandContext } from '../../command.ts';
import type { RunningSite } from './open-site.ts';
import { restoreData } from './restore-data.ts';

it('says that nothing was stopped if the check before a restore fails', async () => {
  const cluster = fakeCluster({
    objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TINY.namespace } }],
  });
  const engine = {
    by: 'tester@host',
    run: 'run x',
    clock: systemClock,
    emit: () => undefined,
    signal: new AbortController().signal,
  };
  const { actions, ...rendered } = tinySite({ recovers: true, prechecks: true });
  await applySite(cluster, TINY, { ...rendered, actions, foundation: [], steps: [] }, engine);
  cluster.store.listen(() => {
    const job = cluster.store
      .all()
      .find(
        ({ kind, metadata, ...object }) =>
          kind === 'Job' &&
          metadata.name.startsWith('base-probe') &&
          object['status'] === undefined,
      );
    if (job !== undefined)
      cluster.setStatus(refOf(job), {
        failed: 1,
        conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }],
      });
  });
  const printed: unknown[] = [];
  const output = { result: (...all: unknown[]) => void printed.push(...all) };
  const code = await restoreData(
    { output } as unknown as CommandContext,
    { cluster, site: TINY, engine } as unknown as RunningSite,
    { action: actions.find(({ id }) => id === 'base/recover')!, parameters: {}, revision: 1 },
    { stayStopped: false },
  );
  expect(code).toBe(7);
  expect(printed).toEqual([
    expect.stringMatching(
      /\nbase\/probe: run 1 failed\nbase\/recover did not start and nothing was stopped, because base\/probe must succeed first$/,
    ),
    expect.objectContaining({ run: expect.objectContaining({ action: 'base/probe' }) as unknown }),
  ]);
});

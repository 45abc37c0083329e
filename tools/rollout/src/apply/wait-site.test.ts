import { expect, it } from 'vitest';
import { TINY } from '#site/testing';
import { waitSite } from './wait-site.ts';
import { installed } from '../testing/tiny-looks.ts';
import { openStatus } from '../status/open-status.ts';

it('names the failed objects', async () => {
  const world = await installed();
  world.cluster.store.remove({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'web',
    namespace: TINY.namespace,
  });
  const open = await openStatus(world.cluster, TINY, world.clock);
  const outcomes = await waitSite(world.cluster, TINY, open, {
    clock: world.clock,
    emit: () => undefined,
    signal: new AbortController().signal,
  });
  await open.close();
  expect(outcomes.get('web/workload/web')).toMatchObject({
    state: 'failed',
    failures: [
      {
        key: 'Deployment/web',
        reason: 'does not exist: someone else deleted it',
      },
    ],
  });
  expect(outcomes.get('base/workload/base')).toEqual({ state: 'done' });
});

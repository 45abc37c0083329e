import { expect, it } from 'vitest';
import { TINY } from '#site/testing';
import { installed } from '../testing/tiny-looks.ts';
import { changeRuns, readRuns, type ActionRun } from './run-store.ts';

const RUN: ActionRun = {
  format: 1,
  run: 1,
  action: 'base/dump',
  kind: 'action',
  parameters: {},
  revision: 1,
  job: 'base-dump',
  state: 'good',
  startedAt: '2026-05-01T12:00:00Z',
  by: 'tester@host',
};
const RESTORE = { action: 'base/recover', replaces: 'StatefulSet/base' } as const;

it('keeps the last run that replaced data, however many others follow', async () => {
  const { cluster } = await installed();
  const add = (of: Partial<ActionRun> = {}): Promise<ActionRun> =>
    changeRuns(cluster, TINY, (runs) => ({ ...RUN, ...of, run: (runs.at(-1)?.run ?? 0) + 1 }));
  const first = async (): Promise<readonly number[]> =>
    (await readRuns(cluster, TINY)).slice(0, 2).map(({ run }) => run);
  await add(RESTORE);
  // It has changed nothing.
  await add({ ...RESTORE, state: 'failed' });
  for (let run = 0; run < 200; run++) await add();
  expect(await first()).toEqual([1, 3]);
  await add(RESTORE);
  expect(await first()).toEqual([4, 5]);
});

it('gives up if other runs are recorded at the same time, again and again', async () => {
  const { cluster } = await installed({ recovers: true });
  const refused = async () => ({ outcome: 'conflict' }) as never;
  const busy = { ...cluster, get: cluster.get.bind(cluster), update: refused, create: refused };
  await expect(changeRuns(busy, TINY, () => ({ run: 1 }) as ActionRun)).rejects.toMatchObject({
    code: 'deploy-busy',
    message:
      'the action run of tiny was not recorded, because other runs of this site were recorded at the same time',
    hint: 'wait until the other runs have ended, then run the command again',
  });
});

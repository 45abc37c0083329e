import { expect, it } from 'vitest';
import type { ActionRun } from '#rollout';
import { transferRun } from './transfer-backup.ts';

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

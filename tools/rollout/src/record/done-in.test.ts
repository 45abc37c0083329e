import { expect, test } from 'vitest';
import { doneIn } from './done-in.ts';
import type { LedgerEntry } from './ledger.ts';

const job = (name: string, image: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: { containers: [{ image }] } } },
});
const entry = (step: string, revision: number, image: string): LedgerEntry => ({
  step,
  phase: 'contract',
  revision,
  image,
  at: '2026-01-01T00:00:00Z',
});
const ledger = {
  'sync-1': entry('app/job/sync', 3, 'app@1'),
  'drop-1': entry('app/job/drop', 4, 'app@1'),
};

test.each([
  ['a job that ran', { id: 'app/job/sync', phase: 'expand', objects: [job('sync-1', 'app@1')] }, 3],
  [
    'a job of another form',
    { id: 'app/job/sync', phase: 'expand', objects: [job('sync-2', 'app@1')] },
    undefined,
  ],
  [
    'a contract of another form and the same image',
    { id: 'app/job/drop', phase: 'contract', objects: [job('drop-2', 'app@1')] },
    4,
  ],
  [
    'a contract of another image',
    { id: 'app/job/drop', phase: 'contract', objects: [job('drop-3', 'app@2')] },
    undefined,
  ],
  [
    'a workload',
    { id: 'app/workload/api', phase: 'roll', objects: [job('sync-1', 'app@1')] },
    undefined,
  ],
  [
    'an Ingress',
    {
      id: 'app/expose/api',
      phase: 'expose',
      objects: [
        { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'sync-1' } },
      ],
    },
    undefined,
  ],
] as const)('%s', (_, step, revision) => {
  expect(doneIn(step, ledger)).toBe(revision);
});

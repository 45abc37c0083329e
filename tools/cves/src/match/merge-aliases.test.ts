import { expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { mergeAliases } from './merge-aliases.ts';

const order = (a: string, b: string): number => (a < b ? -1 : 1);

it('joins records that share a name, also through other records', () => {
  const merged = mergeAliases(
    [
      { id: 'GHSA-1', aliases: ['CVE-2025-0001'], state: 'no-fix' },
      { id: 'GHSA-2', aliases: [], state: 'no-fix' },
      { id: 'PYSEC-1', aliases: ['OTHER-1'], state: 'fixable', fixed: '2' },
      { id: 'OTHER-1', aliases: ['CVE-2025-0001'], state: 'no-fix' },
    ],
    order,
  );
  expect(merged).toEqual([
    {
      cve: 'CVE-2025-0001',
      aliases: ['GHSA-1', 'OTHER-1', 'PYSEC-1'],
      state: 'fixable',
      fixed: '2',
    },
    { cve: 'GHSA-2', aliases: [], state: 'no-fix' },
  ]);
});

it.each([
  ['different records', (index: number) => ({ id: `A-${index}`, aliases: [] })],
  ['a chain of aliases', (index: number) => ({ id: `A-${index}`, aliases: [`A-${index + 1}`] })],
  ['the same record', () => ({ id: 'A', aliases: [] })],
])('takes no quadratic time for %s', (_, make) => {
  const started = cpuMs();
  const verdicts = Array.from({ length: 60_000 }, (_, index) => ({
    ...make(index),
    state: 'no-fix' as const,
  }));
  expect(mergeAliases(verdicts, order).length).toBeGreaterThan(0);
  expect(cpuMs() - started).toBeLessThan(4_000);
});

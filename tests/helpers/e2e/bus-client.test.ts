import { expect, it } from 'vitest';
import { reportOf } from './bus-client.ts';

it('counts confirms and errors since a time, and every confirmed message without a delivery', () => {
  const lines = [
    'confirmed 1.000 1',
    'error 1.500 publish: TimeoutError()',
    'received 1.600 1',
    'confirmed 2.000 2',
    'confirmed 5.000 3',
    'error 5.100 publish: OSError(1)',
    'received 6.000 3',
    'received 6.100 1',
  ];
  expect(reportOf(lines, 2, 7)).toEqual({
    confirmed: 2,
    missing: [2],
    repeated: 1,
    errors: 1,
    gap: 3,
  });
  expect(reportOf(lines, 2, 9).gap).toBe(4);
});

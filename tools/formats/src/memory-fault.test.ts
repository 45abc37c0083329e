import { expect, it } from 'vitest';
import { memoryFault } from './index.ts';

it.each<[string | number, string | undefined, boolean]>([
  [383, '384Mi', true],
  [384, '384Mi', false],
  ['256M', '256Mi', false],
  ['255M', '256Mi', true],
  ['268MB', '256Mi', true],
  ['269MB', '256Mi', false],
  ['262143kiB', '256Mi', true],
  ['268435456', '256Mi', false],
  ['1G', '2Gi', true],
  ['9G', undefined, true],
])('decides if %s fits below %s: %s', (amount, limit, fits) => {
  expect(memoryFault(amount, limit) === undefined).toBe(fits);
});

it('reports the limit of the container', () => {
  expect(memoryFault(3000, '384Mi')).toBe(
    'is 3000 MiB, but the memory limit of its container is 384Mi',
  );
});

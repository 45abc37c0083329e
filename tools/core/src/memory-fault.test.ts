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
])('%s fits below %s: %s', (amount, limit, fits) => {
  expect(memoryFault(amount, limit) === undefined).toBe(fits);
});

it('says what the container may take', () => {
  expect(memoryFault(3000, '384Mi')).toBe('is 3000 MiB, and the container that it is for may take 384Mi of memory');
});

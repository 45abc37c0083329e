import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parseSize } from './size.ts';
import { errorsOf } from './testing.ts';
import { writtenRoots } from './testing/written-workspace.ts';

afterEach(() => {
  for (const root of writtenRoots.splice(0)) rmSync(root, { recursive: true });
});

describe('parseSize', () => {
  it.each([
    ['90MB', 90_000_000],
    ['1.5GB', 1_500_000_000],
    ['4.1kB', 4_100],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });

  it('refuses other units', () => {
    expect(errorsOf(() => parseSize('90MiB'))).toBe(
      '"90MiB" is not a size [write a size such as 90MB or 1.5GB]',
    );
  });
});

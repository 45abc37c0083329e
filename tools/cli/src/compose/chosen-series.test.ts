import { describe, expect, it } from 'vitest';
import { chosenSeries } from './chosen-series.ts';
import type { Project } from './project.ts';

const project = {
  series: { name: '2026.1' },
  workspace: {
    series: [
      { name: '2025.2' },
      { name: '2026.1' },
      { name: 'master', constraintsFrom: 'opendev.org' },
    ],
  },
} as unknown as Project;

describe('chosenSeries', () => {
  it.each([
    [undefined, ['2026.1']],
    ['2025.2', ['2025.2']],
    ['2025.2,,2025.2,master', ['2025.2', 'master']],
    ['all', ['2025.2', '2026.1']],
  ])('reads %j', (given, expected) => {
    expect(chosenSeries(given, project)).toEqual(expected);
  });

  it.each(['', ',', ',,'])('refuses %j', (given) => {
    expect(() => chosenSeries(given, project)).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: `--series "${given}" names no series`,
        hint: 'name one or more series, separated by commas, or all',
      }),
    );
  });
});

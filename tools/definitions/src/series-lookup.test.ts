import { rmSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { memoryMemo } from '#ports/testing';
import { readWorkspace, seriesOf } from './index.ts';
import { errorsOf } from './testing.ts';
import { writtenRoots, writeWorkspace } from './testing/written-workspace.ts';

afterEach(() => {
  for (const root of writtenRoots.splice(0)) rmSync(root, { recursive: true });
});

describe('seriesOf', () => {
  it('suggests the nearest series', () => {
    const workspace = readWorkspace(writeWorkspace({}), memoryMemo());
    expect(workspace.images).toEqual([]);
    expect(errorsOf(() => seriesOf(workspace, '2026.2'))).toBe(
      'unknown series "2026.2" [did you mean 2026.1? images/series.yaml has 2026.1, master]',
    );
    expect(errorsOf(() => seriesOf(workspace, 'x'))).toBe(
      'unknown series "x" [images/series.yaml has 2026.1, master]',
    );
  });
});

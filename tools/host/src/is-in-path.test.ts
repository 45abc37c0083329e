import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isInPath } from './is-in-path.ts';

it('finds a program in any folder of PATH, but no folders and no files that are not executable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  writeFileSync(join(folder, 'program'), '', { mode: 0o755 });
  writeFileSync(join(folder, 'plain'), '', { mode: 0o644 });
  mkdirSync(join(folder, 'below'));
  expect(
    ['program', 'plain', 'below', 'other'].map((name) => isInPath(name, `/nowhere::${folder}`)),
  ).toEqual([true, false, false, false]);
});

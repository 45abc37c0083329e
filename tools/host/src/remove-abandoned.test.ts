import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeAbandoned } from './remove-abandoned.ts';

/** A process number above the kernel's limit. */
const ENDED = 4_194_305;

it('removes only drafts of ended processes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-drafts-'));
  mkdirSync(join(folder, 'below'));
  const left = [`memo.${ENDED}.0123abcd.partial`, `${ENDED}.0123456789abcdef`];
  const kept = [
    'memo',
    `memo.${process.pid}.0123abcd.partial`,
    `memo.${ENDED}.notes`,
    `recent.${ENDED}.0123abcd.partial`,
  ];
  for (const below of ['', 'below/'])
    for (const name of [...left, ...kept]) {
      writeFileSync(join(folder, below + name), '');
      if (!name.startsWith('recent')) utimesSync(join(folder, below + name), 1, 1);
    }
  expect(removeAbandoned(folder)).toBe(2);
  expect(readdirSync(folder).sort()).toEqual([...kept, 'below'].sort());
  expect(readdirSync(join(folder, 'below'))).toHaveLength(6);
  expect(removeAbandoned(folder, { deep: true })).toBe(2);
  expect(readdirSync(join(folder, 'below')).sort()).toEqual([...kept].sort());
  expect(removeAbandoned(join(folder, 'none'))).toBe(0);
});

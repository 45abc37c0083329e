import { expect, it } from 'vitest';
import { readDiff } from './unified-diff.ts';

const HEAD = '--- a/keystone/version.py\t2026-01-01\n+++ b/keystone/version.py\n';

it('finds the hunks of a diff between other lines', () => {
  const text = `From: a person\n\n---\n a | 2 +-\n\ndiff --git a/x b/x\n${HEAD}@@ -1,2 +1,2 @@ def x():\n a\n-b\n+c\n\\ No newline at end of file\n@@ -9 +9 @@\n-1\n+2\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n-- \n2.47\n`;
  const { hunks, flaw } = readDiff(text);
  expect(flaw).toBeUndefined();
  expect(hunks.map(({ file, number, line, lines }) => [file, number, line, lines.length])).toEqual([
    ['keystone/version.py', 1, 9, 5],
    ['keystone/version.py', 2, 14, 3],
    ['gone.py', 1, 19, 2],
  ]);
  expect(readDiff('diff --git a/x b/y\nrename from x\nrename to y\n')).toEqual({ hunks: [] });
});

it.each([
  ['', 'has no hunk, so it changes nothing'],
  [HEAD, 'has no hunk, so it changes nothing'],
  [
    'diff --git a/x b/x\nGIT binary patch\nliteral 4\n',
    'is binary, which patch(1) does not support',
  ],
  ['@@ -1 +1 @@\n-1\n+2\n', 'has a hunk without a file name (line 1)'],
  [`${HEAD}@@ 1 @@\n-1\n`, 'has a hunk without line numbers (line 3)'],
  [`${HEAD}@@ -1,2 +1,2 @@\n-1\n+2\n`, 'has a hunk whose lines do not match its header (line 3)'],
  [`${HEAD}@@ -1 +1 @@\n-1\n-1\n+2\n`, 'has a hunk whose lines do not match its header (line 3)'],
  [
    '--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-1\n+2\n',
    'changes b/../x, outside of the source (line 1)',
  ],
])('reports the fault of %j', (text, flaw) => {
  expect(readDiff(text).flaw).toBe(flaw);
});

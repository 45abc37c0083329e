import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CcpError, CcpErrors } from '#core';
import { exitCodeFor, exitCodeOf } from './exit-codes.ts';

const tools = fileURLToPath(new URL('../../..', import.meta.url));
/** Codes of findings that are only ever part of another error, or of faults that are bugs. */
const INTERNAL = new Set(['internal', 'unexpected', 'secret-plain']);

test('maps every error code in the sources to an exit code', () => {
  const codes = new Set<string>();
  for (const entry of readdirSync(tools, { recursive: true, withFileTypes: true })) {
    if (
      !entry.isFile() ||
      !entry.name.endsWith('.ts') ||
      entry.name.endsWith('.test.ts') ||
      entry.parentPath.includes('testing')
    )
      continue;
    for (const [, code] of readFileSync(join(entry.parentPath, entry.name), 'utf8').matchAll(
      /\bcode: '([a-z-]+)'/g,
    ))
      codes.add(code as string);
  }
  expect(codes.size).toBeGreaterThan(50);
  expect(
    [...codes].filter((code) => exitCodeFor(code) === undefined && !INTERNAL.has(code)).sort(),
  ).toEqual([]);
});

test.each([
  ['lock-stale', 3],
  ['plan-stale', 3],
  ['plan-invalid', 2],
  ['store-full', 5],
  ['store-busy', 6],
  ['file-unwritable', 2],
  ['machine-disk', 5],
  ['source-invalid', 2],
  ['source-unreachable', 4],
  ['source-ref-unknown', 3],
  ['cancelled', 130],
])('maps %s to exit code %i', (code, exit) => {
  expect(exitCodeOf(new CcpError({ code, message: 'm' }))).toBe(exit);
  expect(
    exitCodeOf(
      new CcpErrors([
        new CcpError({ code, message: 'm' }),
        new CcpError({ code: 'usage', message: 'n' }),
      ]),
    ),
  ).toBe(exit);
});

test('maps an error without a code to exit code 1', () => {
  expect(exitCodeOf(new Error('x'))).toBe(1);
});

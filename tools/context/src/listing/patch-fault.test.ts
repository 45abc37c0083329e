import { expect, it } from 'vitest';
import type { ImageDefinition } from '#definitions';
import type { ContextEntry } from '../types.ts';
import { patchFault } from './patch-fault.ts';

const DIFF =
  '--- a/api/ok.py\n+++ b/api/ok.py\n@@ -1 +1 @@\n-a\n+b\n--- a/api/version.py\n+++ b/api/version.py\n@@ -3 +3 @@\n-x\n+y\n@@ -15,1 +15,1 @@\n-return 1\n+return 2\n';
const at = { file: 'images/api/overlay.yaml', line: 3, column: 9 };
const context: readonly ContextEntry[] = [
  {
    type: 'file',
    path: '.inputs/sources/api.patches/001-a.patch',
    executable: false,
    origin: { from: 'bytes', bytes: Buffer.from(DIFF) },
  },
];
const definition = {
  sources: {
    api: {
      repository: 'https://git.example/api',
      refs: {},
      submodules: [],
      patches: [{ value: 'a.patch', path: '/gone/a.patch', at }],
    },
  },
} as unknown as ImageDefinition;

it.each([
  [
    'a hunk that does not fit',
    'checking file api/ok.py\n  checking file api/version.py\n  Hunk #2 FAILED at 15.\n  1 out of 2 hunks FAILED',
    ': the hunk at line 11 does not match api/version.py at line 15:\n  @@ -15,1 +15,1 @@\n  -return 1\n  +return 2',
  ],
  [
    'a hunk of a later file',
    'checking file api/ok.py\n  Hunk #1 succeeded at 5 (offset 4 lines).\n  checking file api/version.py\n  Hunk #1 succeeded at 4 (offset 1 line).\n  Hunk #2 FAILED at 15.',
    ': the hunk at line 11 does not match api/version.py at line 15:\n  @@ -15,1 +15,1 @@\n  -return 1\n  +return 2',
  ],
  [
    'a file that is not there',
    "can't find file to patch at input line 3",
    ":\ncan't find file to patch at input line 3",
  ],
])('places a patch that does not apply: %s', (_, said, rejected) => {
  expect(
    patchFault(
      definition,
      context,
      `step "RUN" failed with exit code 1; its last lines:\n  the patch a.patch does not apply to api:\n  ${said}\n`,
    ),
  ).toMatchObject({ at, message: `the patch a.patch does not apply to api${rejected}` });
});

it('leaves other failures alone', () => {
  expect(
    patchFault(definition, context, 'the patch other.patch does not apply to api:\n'),
  ).toBeUndefined();
  expect(patchFault(definition, context, 'make: *** no rule')).toBeUndefined();
});

import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { heavyFileNote, missingTestPackages } from './missing-test-packages.ts';
import type { TestGroup } from './test-groups.ts';

const COMPLETION = 'tools/cli/src/commands/completion.test.ts';
const STORED = 'tests/e2e/stored-image.engine.test.ts';
const CLOUD = 'tests/e2e/openstack.cloud.test.ts';

/** A PATH with the programs of the fast tests, except xz. */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-path-'));
  for (const program of ['git', 'openssl', 'pip3', 'python3', 'ssh-keygen', 'tar']) {
    writeFileSync(join(folder, program), '');
    chmodSync(join(folder, program), 0o755);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each<[string, Partial<Record<TestGroup, readonly string[]>>, readonly string[]]>([
  ['the fast group', { fast: [] }, []],
  ['all groups but cloud', { fast: [], engine: [], cluster: [] }, ['fish', 'skopeo', 'zsh']],
  ['the cloud group', { cloud: [] }, ['chromium']],
  ['files of both kinds', { fast: ['a.test.ts'], engine: ['b.engine.test.ts'] }, []],
  ['the file that needs skopeo', { engine: [STORED] }, ['skopeo']],
  ['the file that needs Chromium', { cloud: [CLOUD] }, ['chromium']],
])('names the missing packages of %s', (_, selected, own) => {
  const selection = new Map(Object.entries(selected) as [TestGroup, readonly string[]][]);
  const others = [...selection.keys()].some((group) => group !== 'fast');
  const engine = others ? ['iproute2', 'util-linux'] : [];
  expect(missingTestPackages(selection, `/nonexistent:${folder}`)).toEqual([
    'xz-utils',
    ...engine,
    ...own,
  ]);
});

it('knows test files that exist', () => {
  for (const file of [COMPLETION, STORED, CLOUD])
    expect([file, existsSync(join(import.meta.dirname, '../../../../..', file))]).toEqual([
      file,
      true,
    ]);
});

it('names a file that needs more than the fast tests, unless whole groups run', () => {
  expect(
    heavyFileNote(new Map([['fast', ['a.test.ts']] as const, ['engine', [STORED]] as const])),
  ).toBe(
    `${STORED} needs an engine or a cluster, and Debian packages; leave out such files with --group fast`,
  );
  expect(heavyFileNote(new Map([['engine', [STORED]] as const]))).toBeUndefined();
  expect(heavyFileNote(new Map([['fast', []] as const, ['engine', []] as const]))).toBeUndefined();
});

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { series } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph } from '#graph';
import type { SourceFetcher } from '#ports';
import { memoryMemo } from '#ports/testing';
import { diffLocks, renderLockDiff } from './diff-locks.ts';
import type { LockRequest } from './lock-request.ts';
import { previewLocks } from './preview-locks.ts';
import { resolveLocks } from './resolve-locks.ts';

let root: string;
let request: LockRequest;
/** Commit and version of the branch. */
let branch: { commit: string; version: string };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-preview-'));
  branch = { commit: 'a'.repeat(40), version: '1.0.0' };
  const files = {
    'images/series.yaml':
      'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
    'images/base/image.yaml': 'title: T\ndescription: x\nroot: a test\n',
    'images/service/image.yaml':
      'title: T\ndescription: x\nroot: a test\nparents: { base: base }\nsources:\n  app: { repository: "https://git.test/app", refs: { "2026.1": main } }\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const workspace = readWorkspace(root, memoryMemo());
  const sources: SourceFetcher = {
    reachable: async () => true,
    resolve: async () => branch,
    fetch: async () => undefined,
    archive: async function* () {},
  };
  request = {
    workspaces: [root],
    graph: buildGraph(workspace, series('2026.1')),
    series: seriesOf(workspace, '2026.1'),
    images: [],
    update: true,
    origins: {
      debian: [],
      debianSecurity: [],
      pythonIndexes: () => [],
      goProxies: () => [],
      npmRegistries: () => [],
    },
    sources,
    debianControls: async () => new Map(),
    cache: join(root, 'cache'),
    emit: () => undefined,
  };
});
afterEach(() => rmSync(root, { recursive: true }));

/** Every file of the images with its text. */
function files(): Readonly<Record<string, string>> {
  const found = readdirSync(join(root, 'images'), { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

const previewed = async (): Promise<readonly string[]> =>
  (await previewLocks(request)).map(({ file, outcome }) => `${file} ${outcome}`);

it('returns the locks of an update, and writes none', async () => {
  await resolveLocks(request);
  const before = files();
  expect(Object.keys(before)).toHaveLength(5);
  expect(await previewed()).toEqual([
    'images/base/lock/2026.1.yaml unchanged',
    'images/service/lock/2026.1.yaml unchanged',
  ]);
  branch = { commit: 'b'.repeat(40), version: '1.0.1' };
  const [, service] = await previewLocks(request);
  expect(service!.outcome).toBe('written');
  expect(renderLockDiff(diffLocks(service!.before, service!.after))).toBe(`service 2026.1
  sources
    ~ app main (aaaaaaaaaaaa) -> main (bbbbbbbbbbbb)
`);
  expect(files()).toEqual(before);
  expect(readdirSync(join(root, 'cache/locks')).filter((name) => name.startsWith('.run'))).toEqual(
    [],
  );
});

it('resolves children of an image without a lock', async () => {
  const before = files();
  expect(await previewed()).toEqual([
    'images/base/lock/2026.1.yaml written',
    'images/service/lock/2026.1.yaml written',
  ]);
  expect(files()).toEqual(before);
});

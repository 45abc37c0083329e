import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { imageName, series, sha256 } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph } from '#graph';
import type { SourceFetcher } from '#ports';
import { memoryMemo } from '#ports/testing';
import { recheckLocks, checkLocks, requestOf } from './check-locks.ts';
import type { LockResult } from './lock-request.ts';
import { resolveLocks } from './resolve-locks.ts';

// Other test files of this worker may have loaded the modules spied on here.
vi.hoisted(() => vi.resetModules());
vi.mock('./check-locks.ts', { spy: true });

const SERVICES = 20;
let root: string;

function write(image: string): void {
  mkdirSync(join(root, 'images', image), { recursive: true });
  writeFileSync(
    join(root, 'images', image, 'image.yaml'),
    `title: T\ndescription: x\nroot: a test\n${image === 'base' ? '' : 'parents: { base: base }\n'}`,
  );
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-run-'));
  for (const image of [
    'base',
    ...Array.from({ length: SERVICES }, (_, index) => `service-${index}`),
  ])
    write(image);
  writeFileSync(
    join(root, 'images/series.yaml'),
    'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
  );
  vi.clearAllMocks();
});
afterEach(() => rmSync(root, { recursive: true }));

async function resolve(images: readonly string[] = []): Promise<LockResult> {
  const workspace = readWorkspace(root, memoryMemo());
  return resolveLocks({
    workspaces: [root],
    graph: buildGraph(workspace, series('2026.1')),
    series: seriesOf(workspace, '2026.1'),
    images: images.map(imageName),
    update: false,
    origins: {
      debian: [],
      debianSecurity: [],
      pythonIndexes: () => [],
      goProxies: () => [],
      npmRegistries: () => [],
    },
    sources: {} as SourceFetcher,
    debianControls: async () => new Map(),
    cache: join(root, 'cache'),
    emit: () => undefined,
  });
}

const checked = (): number =>
  vi.mocked(recheckLocks).mock.calls.reduce((sum, [, , , , images]) => sum + images.length, 0);

it('checks all locks once, then each image again after a lock it depends on is written', async () => {
  const { images } = await resolve();
  expect(images.map(({ outcome }) => outcome)).toEqual(
    Array.from({ length: SERVICES + 1 }, () => 'written'),
  );
  expect(vi.mocked(checkLocks)).toHaveBeenCalledTimes(1);
  expect(checked()).toBeLessThanOrEqual(3 * (SERVICES + 1));
});

it('updates the state of children after writing a lock', async () => {
  await resolve();
  rmSync(join(root, 'images/base/lock'), { recursive: true });
  const { images, stale } = await resolve(['service-1']);
  expect([images.map(({ image, outcome }) => `${image} ${outcome}`), stale]).toEqual([
    ['base written', 'service-1 unchanged'],
    [],
  ]);
});

it('writes no lock if its inputs changed during the resolution', async () => {
  vi.mocked(requestOf).mockReturnValueOnce(sha256('what it was before'));
  await expect(resolve(['base'])).rejects.toMatchObject({
    code: 'file-changed',
    message:
      "the series' constraints, package-lock.json or the lock of a parent of base changed while the image was resolved; its lock was not written",
  });
  expect(existsSync(join(root, 'images/base/lock'))).toBe(false);
});

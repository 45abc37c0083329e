import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageName, series, type ImageName } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { openMirrors } from '#fetch';
import { buildGraph } from '#graph';
import type { SourceFetcher } from '#ports';
import { memoryMemo } from '#ports/testing';
import { checkLocks } from './check-locks.ts';
import type { LockResult } from './lock-request.ts';
import { readLock } from './lock-store.ts';
import { resolveLocks } from './resolve-locks.ts';

/** In the group `engine`, since it uses the mirrors and the index of this host, as builds do. */
const LIMIT_MS = 300_000;
const SERIES =
  'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13", constraints: constraints.txt }\n';
const BASE =
  'title: Base\ndescription: x\nroot: a test\ndebian: { bootstrap: { packages: ["?essential", apt] } }\n';
const SERVICE =
  'title: Service\ndescription: x\nroot: a test\nparents: { base: base }\ndebian: { runtime: { on: base, packages: [memcached] } }\npython: { packages: [testresources] }\n';
/** An unused port, so that the next mirror is tried. */
const DEAD = 'http://127.0.0.1:9';
const noSources: SourceFetcher = {
  reachable: async () => false,
  resolve: () => Promise.reject(new Error('no source is asked for')),
  fetch: async () => undefined,
  archive: () => {
    throw new Error('no source is asked for');
  },
};

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-resolve-'));
  for (const [path, text] of Object.entries({
    'series.yaml': SERIES,
    'constraints.txt': 'testresources===2.0.2\n',
    'base/image.yaml': BASE,
    'service/image.yaml': SERVICE,
  })) {
    mkdirSync(join(root, 'images', path, '..'), { recursive: true });
    writeFileSync(join(root, 'images', path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function resolve(
  cache: string,
  update: boolean,
  images: readonly ImageName[] = [],
): Promise<LockResult> {
  const workspace = readWorkspace(root, memoryMemo());
  const mirrors = openMirrors();
  const { debian, 'debian-security': security } = mirrors.debian();
  return resolveLocks({
    workspaces: [root],
    graph: buildGraph(workspace, series('2026.1')),
    series: seriesOf(workspace, '2026.1'),
    images,
    update,
    origins: {
      debian: [DEAD, ...debian],
      debianSecurity: security,
      pythonIndexes: () => [DEAD, ...mirrors.python().map(({ url }) => url)],
      goProxies: () => [],
      npmRegistries: () => [],
    },
    sources: noSources,
    debianControls: async () => new Map(),
    cache: join(root, cache),
    emit: () => undefined,
  });
}

it(
  'resolves Debian and Python against the real mirrors, with equal bytes from another cache',
  { timeout: LIMIT_MS },
  async () => {
    const workspace = readWorkspace(root, memoryMemo());
    const graph = buildGraph(workspace, series('2026.1'));
    const text = (image: string): string =>
      readFileSync(join(root, 'images', image, 'lock/2026.1.yaml'), 'utf8');
    const first = await resolve('one', false, [imageName('service')]);
    expect(first.images.map(({ image, outcome }) => `${image} ${outcome}`)).toEqual([
      'base written',
      'service written',
    ]);
    const [base, service] = [text('base'), text('service')];
    rmSync(join(root, 'images/service/lock'), { recursive: true });
    expect(
      (await resolve('two', true)).images.map(({ image, outcome }) => `${image} ${outcome}`),
    ).toEqual(['base unchanged', 'service written']);
    expect([text('base'), text('service')]).toEqual([base, service]);
    expect(
      [...checkLocks(graph, seriesOf(workspace, '2026.1'), memoryMemo()).values()].map(
        ({ state }) => state,
      ),
    ).toEqual(['current', 'current']);

    const names = (image: string, stage: string): string[] =>
      readLock(graph.images.get(imageName(image))!, series('2026.1')).debian[stage]!.map(
        ({ name }) => name,
      );
    expect(names('base', 'bootstrap')).toEqual(
      expect.arrayContaining(['apt', 'base-files', 'dpkg', 'libc6']),
    );
    expect(names('service', 'runtime')).toContain('memcached');
    expect(
      names('service', 'runtime').filter((name) => names('base', 'bootstrap').includes(name)),
    ).toEqual([]);
    const { python } = readLock(graph.images.get(imageName('service'))!, series('2026.1'));
    expect(python.runtime.find(({ name }) => name === 'testresources')).toMatchObject({
      version: '2.0.2',
      kind: 'sdist',
      file: 'testresources-2.0.2.tar.gz',
    });
    expect(python.build.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pbr', 'setuptools', 'wheel']),
    );
  },
);

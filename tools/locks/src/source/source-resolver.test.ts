import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageName, series, type Sha256 } from '#core';
import type { SourceFetcher } from '#ports';
import type { PythonIndexClient } from '../python/index-client.ts';
import { openSourceResolver } from './source-resolver.ts';

const LISTED = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);
const file = {
  name: 'keystone',
  file: 'keystone-29.0.2.tar.gz',
  sha256: 'c'.repeat(64) as Sha256,
  size: 5,
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-sources-'));
  mkdirSync(join(root, 'images/_shared/releases'), { recursive: true });
  writeFileSync(
    join(root, 'images/_shared/releases/2026.1.json'),
    JSON.stringify({ 'openstack/keystone': { '29.0.2': LISTED } }),
  );
});
afterAll(() => rmSync(root, { recursive: true }));

/**
 * Resolves keystone's source; `answer` is the commit of its host, `undefined` if the host does not
 * answer.
 */
async function resolve(
  ref: string,
  answer: string | undefined,
  kept?: string,
): Promise<{
  readonly commit: string;
  readonly archive: string | undefined;
  readonly notes: string[];
}> {
  const fetcher: SourceFetcher = {
    reachable: async () => answer !== undefined,
    resolve: async () => ({ commit: answer!, version: '30.0.0.dev1' }),
    fetch: async () => undefined,
    archive: async function* () {},
  };
  const index = {
    sdist: async () => ({ ...file, url: 'https://files.example/x', yanked: false }),
  } as unknown as PythonIndexClient;
  const repository = 'https://git.example/openstack/keystone';
  const notes: string[] = [];
  const locked = await openSourceResolver({ workspaces: [root], index, fetcher }).resolve({
    image: imageName('keystone'),
    key: 'keystone',
    source: { repository, refs: { '2026.1': ref }, archive: 'keystone', submodules: [] },
    series: series('2026.1'),
    ...(kept === undefined
      ? {}
      : { kept: { repository, ref, commit: kept, version: '30.0.0.dev1', submodules: [] } }),
    note: (text) => notes.push(text),
  });
  return { commit: locked.commit, archive: locked.archive?.file, notes };
}

describe('a source', () => {
  it.each([
    ['a release on its host', '29.0.2', LISTED, { commit: LISTED, archive: file.file, notes: [] }],
    [
      'a release that is not listed',
      '29.0.9',
      OTHER,
      { commit: OTHER, archive: file.file, notes: [] },
    ],
    [
      'a branch, which has no archive',
      'master',
      OTHER,
      { commit: OTHER, archive: undefined, notes: [] },
    ],
    [
      'a release whose host does not answer',
      '29.0.2',
      undefined,
      {
        commit: LISTED,
        archive: file.file,
        notes: [
          'the git host of https://git.example/openstack/keystone does not answer; ccp uses the commit of 29.0.2 in images/_shared/releases, and fetched sources are checked against it',
        ],
      },
    ],
  ])('is locked by %s', async (_, ref, answer, expected) => {
    expect(await resolve(ref, answer)).toEqual(expected);
  });

  it('keeps its commit while its branch changes', async () => {
    expect((await resolve('master', OTHER, LISTED)).commit).toBe(LISTED);
  });

  it.each([
    [
      'a branch of a host that does not answer',
      'master',
      undefined,
      'the git host of https://git.example/openstack/keystone does not answer, and master is not a release listed in images/_shared/releases',
    ],
    [
      'a release that was moved',
      '29.0.2',
      OTHER,
      `https://git.example/openstack/keystone has commit ${OTHER} for release 29.0.2, but images/_shared/releases has ${LISTED}`,
    ],
  ])('is refused for %s', async (_, ref, answer, message) => {
    await expect(resolve(ref, answer)).rejects.toThrow(message);
  });

  it('reports an unreadable list relative to the workspace', async () => {
    const site = mkdtempSync(join(tmpdir(), 'ccp-sources-'));
    const list = 'images/_shared/releases/2026.1.json';
    mkdirSync(join(site, dirname(list)), { recursive: true });
    writeFileSync(join(site, list), '{');
    const resolver = openSourceResolver({
      workspaces: [site],
      index: {} as PythonIndexClient,
      fetcher: {} as SourceFetcher,
    });
    const source = {
      repository: 'https://git.example/x',
      refs: { '2026.1': '1.0.0' },
      submodules: [],
    };
    const request = {
      image: imageName('x'),
      key: 'x',
      source,
      series: series('2026.1'),
      note: () => undefined,
    };
    await expect(resolver.resolve(request)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^images\/_shared\/releases\/2026\.1\.json is not valid JSON \(/,
      ),
      at: { file: list },
    });
    rmSync(site, { recursive: true });
  });
});

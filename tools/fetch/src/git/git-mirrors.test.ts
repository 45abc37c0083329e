import { existsSync, mkdtempSync, readdirSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readStream, tarRead } from '../../../formats/src/testing/tar-list.ts';
import { openCache } from '../cache/open-cache.ts';
import { testRepository, type TestRepository } from '../testing/git-repository.ts';
import { fetchSources } from './fetch-sources.ts';
import { openGitSources, type GitSourcesOptions } from './git-sources.ts';

let repository: TestRepository;
let folder: string;

beforeEach(() => {
  repository = testRepository();
  folder = mkdtempSync(join(tmpdir(), 'ccp-mirrors-'));
});

const open = (options: Partial<GitSourcesOptions> = {}) =>
  openGitSources({ folder, retry: { attempts: 2, firstMs: 1 }, ...options });
const sourceOf = (commit: string, url = repository.url) => ({ url, commit, submodules: [] });

describe('resolve', () => {
  it('resolves the commit and version of tags and branches, also in a mirror with a single commit', async () => {
    const first = repository.commit({ a: '1' });
    await open().fetch(sourceOf(first));
    repository.git('tag', '-a', '1.0.0', '-m', 'release');
    const second = repository.commit({ a: '2' }, 'Add it\n\nSem-Ver: feature');
    expect(await open().resolve(repository.url, '1.0.0')).toEqual({
      commit: first,
      version: '1.0.0',
    });
    expect(await open().resolve(repository.url, 'main')).toEqual({
      commit: second,
      version: '1.1.0.dev1',
    });
    repository.git('tag', '1.1.0');
    repository.git('tag', 'gazpacho-eol');
    expect(await open().resolve(repository.url, 'main')).toEqual({
      commit: second,
      version: '1.1.0',
    });
    await expect(open().resolve(repository.url, 'none')).rejects.toMatchObject({
      code: 'source-ref-unknown',
      message: `${repository.url} has no tag or branch none`,
    });
  });

  it('prefers a tag to a branch with the same name, and follows a rewritten branch', async () => {
    const first = repository.commit({ a: '1' });
    repository.git('tag', 'same');
    const second = repository.commit({ a: '2' });
    repository.git('branch', 'same');
    expect((await open().resolve(repository.url, 'same')).commit).toBe(first);
    expect((await open().resolve(repository.url, 'main')).commit).toBe(second);
    repository.git('reset', '-q', '--hard', first);
    expect((await open().resolve(repository.url, 'main')).commit).toBe(first);
  });
});

describe('unused mirrors', () => {
  it('prunes unused mirrors and keeps used ones', async () => {
    const cache = openCache({ folder });
    const other = testRepository();
    const used = sourceOf(repository.commit({ a: '1' }));
    const unused = sourceOf(other.commit({ b: '1' }), other.url);
    const fetcher = open({ folder: cache.gitFolder });
    for (const source of [used, unused]) await fetcher.fetch(source);
    const user = join(cache.gitFolder, readdirSync(cache.gitFolder)[0] ?? '');
    const yesterday = Date.now() / 1000 - 100_000;
    for (const name of readdirSync(user))
      utimesSync(join(user, name, 'HEAD'), yesterday, yesterday);
    await readStream(fetcher.archive(used));
    const before = (await cache.usage()).git;
    const freed = await cache.prune({ olderThanMs: 3_600_000 });
    expect([readdirSync(user).length, (await cache.usage()).git]).toEqual([1, before - freed]);
    expect(tarRead(await readStream(fetcher.archive(used)), 'source/a')).toBe('1');
    await expect(readStream(fetcher.archive(unused))).rejects.toMatchObject({
      code: 'source-commit-missing',
    });
  });
});

describe('fetchSources', () => {
  it('fills the cache once, and reports missing sources offline', async () => {
    const commit = repository.commit({ a: 'a' });
    const cache = openCache({ folder: join(folder, 'cache') });
    const source = sourceOf(commit);
    await expect(fetchSources(cache, open(), [source], { offline: true })).rejects.toMatchObject({
      code: 'offline-missing',
      message: `1 locked source is not in the cache: ${repository.url} at ${commit}`,
      inputs: [repository.url],
    });
    await fetchSources(cache, open(), [source, source]);
    await fetchSources(cache, open({ folder: join(folder, 'no mirrors') }), [source], {
      offline: true,
    });
    expect(existsSync(join(folder, 'no mirrors'))).toBe(false);
  });
});

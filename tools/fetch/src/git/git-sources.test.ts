import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import type { SourceProgress } from '#ports';
import { readStream, tarList, tarRead } from '../../../formats/src/testing/tar-list.ts';
import { serveRepository, testRepository, type TestRepository } from '../testing/git-repository.ts';
import { serveOverSsh } from '../testing/ssh-server.ts';
import { openGitSources, type GitSourcesOptions } from './git-sources.ts';

let repository: TestRepository;
let folder: string;

beforeEach(() => {
  repository = testRepository();
  folder = mkdtempSync(join(tmpdir(), 'ccp-mirrors-'));
});

const open = (options: Partial<GitSourcesOptions> = {}) =>
  openGitSources({ folder, retry: { attempts: 2, firstMs: 1 }, ...options });
const sourceOf = (commit: string, url = repository.url, submodules: readonly string[] = []) => ({
  url,
  commit,
  submodules,
});

async function archiveOf(
  fetcher: ReturnType<typeof open>,
  commit: string,
  url = repository.url,
): Promise<Buffer> {
  await fetcher.fetch(sourceOf(commit, url));
  return readStream(fetcher.archive(sourceOf(commit, url)));
}

describe('fetch and archive', () => {
  it('reports the progress of git', async () => {
    const commit = repository.commit({ 'a.txt': 'one' });
    const server = await serveRepository(repository, 'smart');
    const seen: SourceProgress[] = [];
    try {
      await open().fetch(sourceOf(commit, server.url), undefined, (each) => void seen.push(each));
    } finally {
      await server.close();
    }
    const percent = expect.any(Number) as number;
    expect(seen).toContainEqual({ stage: 'remote:', percent });
  });

  it('fetches the locked commit after its branch changed, with equal bytes over file, smart and dumb http', async () => {
    const locked = repository.commit({ 'a.txt': 'one' });
    repository.commit({ 'a.txt': 'two' });
    const archives = [await archiveOf(open(), locked)];
    for (const kind of ['smart', 'dumb', 'packed'] as const) {
      if (kind === 'packed') repository.git('gc', '-q');
      const server = await serveRepository(repository, kind === 'smart' ? kind : 'dumb');
      try {
        archives.push(
          await archiveOf(
            open({ folder: mkdtempSync(join(tmpdir(), 'ccp-mirrors-')) }),
            locked,
            server.url,
          ),
        );
      } finally {
        await server.close();
      }
    }
    expect(archives.map((tar) => tarRead(tar, 'source/a.txt'))).toEqual([
      'one',
      'one',
      'one',
      'one',
    ]);
    expect(new Set(archives.map((tar) => sha256(tar))).size).toBe(1);
  });

  it('fetches the locked commit over ssh with a key, and reports a refused key', async () => {
    const locked = repository.commit({ 'a.txt': 'one' });
    repository.commit({ 'a.txt': 'two' });
    const server = await serveOverSsh(repository);
    const env = (GIT_SSH_COMMAND: string) => ({ ...process.env, GIT_SSH_COMMAND });
    try {
      await expect(
        open({ env: env(server.strange) }).fetch(sourceOf(locked, server.url)),
      ).rejects.toMatchObject({
        code: 'source-unreachable',
        message: expect.stringContaining('Permission denied (publickey)'),
      });
      const archive = await archiveOf(open({ env: env(server.command) }), locked, server.url);
      expect(tarRead(archive, 'source/a.txt')).toBe('one');
    } finally {
      await server.close();
    }
  });

  it('writes bytes that depend only on the commit', async () => {
    mkdirSync(join(repository.folder, 'bin'));
    writeFileSync(join(repository.folder, 'bin/run'), 'run');
    chmodSync(join(repository.folder, 'bin/run'), 0o755);
    symlinkSync('bin/run', join(repository.folder, 'link'));
    const commit = repository.commit({
      '.gitattributes':
        'version export-subst\ntests export-ignore\n*.crlf text eol=crlf\nident ident\n',
      version: '$Format:%d %H$',
      'tests/t': 'kept',
      'x.crlf': 'line\n',
      ident: '$Id$',
    });
    const umask = process.umask(0o077);
    let first: Buffer;
    try {
      first = await archiveOf(open(), commit);
    } finally {
      process.umask(umask);
    }
    repository.git('tag', 'new-tag');
    const second = await archiveOf(
      open({ folder: mkdtempSync(join(tmpdir(), 'ccp-mirrors-')) }),
      commit,
    );
    expect(sha256(second)).toBe(sha256(first));
    const at = '2026-01-02 03:04:05';
    expect(tarList(first)).toEqual([
      `drwxr-xr-x 0/0 0 ${at} source/`,
      `-rw-r--r-- 0/0 74 ${at} source/.gitattributes`,
      `drwxr-xr-x 0/0 0 ${at} source/bin/`,
      `-rwxr-xr-x 0/0 3 ${at} source/bin/run`,
      `-rw-r--r-- 0/0 4 ${at} source/ident`,
      `lrwxrwxrwx 0/0 0 ${at} source/link -> bin/run`,
      `drwxr-xr-x 0/0 0 ${at} source/tests/`,
      `-rw-r--r-- 0/0 4 ${at} source/tests/t`,
      `-rw-r--r-- 0/0 14 ${at} source/version`,
      `-rw-r--r-- 0/0 5 ${at} source/x.crlf`,
    ]);
  });

  it('fetches from a rewritten URL and keeps the identity', async () => {
    const commit = repository.commit({ a: 'mirrored' });
    const server = await serveRepository(repository, 'smart');
    try {
      const fetcher = open({ rewrites: { 'https://git.test/openstack/sample': server.url } });
      expect(
        tarRead(await archiveOf(fetcher, commit, 'https://git.test/openstack/sample'), 'source/a'),
      ).toBe('mirrored');
      expect(server.requests.length).toBeGreaterThan(0);
      const asked = server.requests.length;
      await fetcher.fetch(sourceOf(commit, 'https://git.test/openstack/sample'));
      expect(server.requests.length).toBe(asked);
    } finally {
      await server.close();
    }
  });

  it('includes only the listed submodules', async () => {
    const inner = testRepository();
    const locked = inner.commit({ 'inner.txt': 'locked' });
    repository.git('submodule', '--quiet', 'add', inner.url, 'vendor/inner');
    const commit = repository.commit({ a: 'a' });
    inner.commit({ 'inner.txt': 'later' });
    expect(locked).toMatch(/^[0-9a-f]{40}$/);
    const fetcher = open();
    expect(
      tarList(await archiveOf(fetcher, commit)).some((line) => line.includes('inner.txt')),
    ).toBe(false);
    const source = sourceOf(commit, repository.url, ['vendor/inner']);
    await fetcher.fetch(source);
    expect(
      tarRead(await readStream(fetcher.archive(source)), 'source/vendor/inner/inner.txt'),
    ).toBe('locked');
    await expect(
      fetcher.fetch(sourceOf(commit, repository.url, ['vendor/none'])),
    ).rejects.toMatchObject({
      code: 'source-invalid',
      message: `${repository.url} at ${commit} has no submodule "vendor/none"`,
    });
  });

  it('reports a missing commit before and after fetching', async () => {
    repository.commit({ a: 'a' });
    const none = sourceOf('b'.repeat(40));
    await expect(readStream(open().archive(none))).rejects.toMatchObject({
      code: 'source-commit-missing',
      message: `commit ${none.commit} of ${none.url} was not fetched`,
    });
    await expect(open().fetch(none)).rejects.toMatchObject({
      code: 'source-commit-missing',
      message: `${none.url} has no commit ${none.commit}`,
    });
  });

  it('runs no program configured by the host or the repository', async () => {
    const home = mkdtempSync(join(tmpdir(), 'ccp-home-'));
    const proof = join(home, 'ran');
    writeFileSync(
      join(home, '.gitconfig'),
      `[core]\n\thooksPath = ${home}\n\tsshCommand = touch ${proof}\n[url "https://evil.test/"]\n\tinsteadOf = file://\n`,
    );
    for (const hook of ['reference-transaction', 'post-checkout'])
      writeFileSync(join(home, hook), `#!/bin/sh\ntouch ${proof}\n`, { mode: 0o755 });
    const commit = repository.commit({ a: 'a' });
    const env = {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: home,
      GIT_SSH_COMMAND: `touch ${proof}`,
      GIT_EXEC_PATH: home,
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: home,
      GIT_DIR: home,
    };
    expect(tarRead(await archiveOf(open({ env }), commit), 'source/a')).toBe('a');
    await expect(
      open({ env }).fetch(sourceOf(commit, 'ssh://127.0.0.1:1/x')),
    ).rejects.toMatchObject({ code: 'source-unreachable' });
    expect(existsSync(proof)).toBe(false);
  });

  it('reports an unreachable host, never prompts, and starts no process for an invalid source', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const port = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    const url = `http://127.0.0.1:${port}/x`;
    await expect(open().fetch(sourceOf('b'.repeat(40), url))).rejects.toMatchObject({
      code: 'source-unreachable',
      message: expect.stringMatching(
        new RegExp(
          `^git cannot fetch ${url}: fatal: unable to access '${url}/': Failed to connect to 127.0.0.1 port ${port}`,
        ),
      ) as string,
    });
    expect([
      await open().reachable(url, 5_000),
      await open().reachable(repository.url, 5_000),
    ]).toEqual([false, true]);
    const untouched = mkdtempSync(join(tmpdir(), 'ccp-mirrors-'));
    await expect(
      open({ folder: untouched }).fetch(sourceOf('b'.repeat(40), 'ext::sh -c id')),
    ).rejects.toMatchObject({ code: 'source-invalid' });
    await expect(
      open({ folder: untouched }).resolve(repository.url, '--upload-pack=id'),
    ).rejects.toMatchObject({ code: 'source-invalid' });
    expect(readdirSync(untouched)).toEqual([]);
  });

  it('reports a missing git, not an unreachable host', async () => {
    const without = open({ env: { PATH: folder } });
    const source = sourceOf('b'.repeat(40));
    const missing = {
      code: 'tool-missing',
      message: 'git is not installed',
      hint: 'install the Debian package git, or use published archives ("origin: archive" in .ccp.yaml)',
    };
    for (const attempt of [
      without.reachable(repository.url, 5_000),
      without.fetch(source),
      without.resolve(repository.url, 'main'),
      readStream(without.archive(source)),
    ]) {
      await expect(attempt).rejects.toMatchObject(missing);
    }
  });

  it('stops when the signal is aborted', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 300);
    const started = Date.now();
    await expect(
      open().fetch(
        sourceOf('b'.repeat(40), `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x`),
        stop.signal,
      ),
    ).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(Date.now() - started).toBeLessThan(30_000);
    silent.close();
  });
});

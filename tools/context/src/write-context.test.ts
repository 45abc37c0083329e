import { chmodSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import type { ImageDefinition } from '#definitions';
import { openCache } from '#fetch';
import { gitArchiveKey } from '#fetch/keys';
import type { Lock } from '#locks';
import { memoryMemo } from '#ports/testing';
import { readStream, tarList, tarRead } from '../../formats/src/testing/tar-list.ts';
import { describeInputs } from './listing/describe-inputs.ts';
import { listContext } from './listing/list-context.ts';
import { derivedKeysOf, lockedFilesOf, lockedGitSources } from './listing/sources.ts';
import {
  AMD64,
  SAMPLE_COMMIT,
  SAMPLE_LOCK,
  sampleImage,
  SAMPLE_SUMMARY,
  TRIXIE_SERIES,
} from './testing/image-folder.ts';
import { writeContext } from './write-context.ts';

const DOCKERFILE = 'FROM scratch\n';

const FILES = {
  'sample/Dockerfile.njk': DOCKERFILE,
  'sample/files/etc/b.conf': 'b',
  'sample/files/etc/a': 'a',
  'sample/files/etc-d': 'd',
};

function describeSample(definition: ImageDefinition, memo = memoryMemo()) {
  return describeInputs({
    definition,
    series: TRIXIE_SERIES,
    platform: AMD64,
    origin: 'git',
    summary: SAMPLE_SUMMARY,
    memo,
  });
}

async function filledCache() {
  const cache = openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });
  for (const name of [
    'zlib1g_1.3_amd64.deb',
    'pbr-7.0-py2.py3-none-any.whl',
    'uwsgi-2.0.31.tar.gz',
    'sample-1.0.0.tar.gz',
  ])
    await cache.put([Buffer.from(name)]);
  await cache.putDerived(
    gitArchiveKey({ url: '', commit: SAMPLE_COMMIT, submodules: [] }),
    (async function* () {
      yield Buffer.from('the tree');
    })(),
  );
  return cache;
}

describe('the context', () => {
  const contextOf = (definition: ImageDefinition, origin: 'git' | 'archive' = 'git') =>
    listContext({
      definition,
      series: TRIXIE_SERIES,
      lock: SAMPLE_LOCK,
      origin,
      dockerfile: DOCKERFILE,
    });

  it('contains the Dockerfile, files and locked inputs, and empty folders', async () => {
    const definition = sampleImage(FILES);
    chmodSync(join(definition.folder, 'files/etc/a'), 0o755);
    symlinkSync('etc/a', join(definition.folder, 'files/to-a'));
    const tar = await readStream(writeContext(contextOf(definition), await filledCache()));
    const at = '2026-01-01 00:00:00';
    expect(tarList(tar)).toEqual([
      `drwxr-xr-x 0/0 0 ${at} .inputs/`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/debian/`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/debian/build/`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/debian/runtime/`,
      `-rw-r--r-- 0/0 20 ${at} .inputs/debian/runtime/zlib1g_1.3_amd64.deb`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/python/`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/python/build/`,
      `-rw-r--r-- 0/0 23 ${at} .inputs/python/requirements.txt`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/python/runtime/`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/python/runtime/sdists/`,
      `-rw-r--r-- 0/0 19 ${at} .inputs/python/runtime/sdists/uwsgi-2.0.31.tar.gz`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/python/runtime/wheels/`,
      `-rw-r--r-- 0/0 28 ${at} .inputs/python/runtime/wheels/pbr-7.0-py2.py3-none-any.whl`,
      `drwxr-xr-x 0/0 0 ${at} .inputs/sources/`,
      `-rw-r--r-- 0/0 8 ${at} .inputs/sources/sample.tar`,
      `-rw-r--r-- 0/0 13 ${at} Dockerfile`,
      `drwxr-xr-x 0/0 0 ${at} files/`,
      `drwxr-xr-x 0/0 0 ${at} files/etc/`,
      `-rw-r--r-- 0/0 1 ${at} files/etc-d`,
      `-rwxr-xr-x 0/0 1 ${at} files/etc/a`,
      `-rw-r--r-- 0/0 1 ${at} files/etc/b.conf`,
      `lrwxrwxrwx 0/0 0 ${at} files/to-a -> etc/a`,
    ]);
    expect(tarRead(tar, '.inputs/python/requirements.txt')).toBe('pbr==7.0\nuwsgi==2.0.31\n');
    expect(tarRead(tar, '.inputs/sources/sample.tar')).toBe('the tree');
  });

  it('contains the files that go build reads if Go programs are locked', () => {
    const file = { name: 'x.test/A', version: 'v1.0.0', sum: 'h1:a', sha256: sha256('a'), size: 1 };
    const lock: Lock = {
      ...SAMPLE_LOCK,
      go: {
        language: '1.26',
        requires: {},
        files: [
          { ...file, kind: 'zip' },
          { ...file, kind: 'mod' },
        ],
      },
    };
    const entries = listContext({
      definition: sampleImage(FILES),
      series: TRIXIE_SERIES,
      lock,
      origin: 'git',
      dockerfile: DOCKERFILE,
    });
    expect(
      entries.map(({ path }) => path).filter((path) => path.startsWith('.inputs/go/')),
    ).toEqual([
      '.inputs/go/go.mod',
      '.inputs/go/go.sum',
      '.inputs/go/proxy',
      '.inputs/go/proxy/x.test',
      '.inputs/go/proxy/x.test/!a',
      '.inputs/go/proxy/x.test/!a/@v',
      '.inputs/go/proxy/x.test/!a/@v/v1.0.0.mod',
      '.inputs/go/proxy/x.test/!a/@v/v1.0.0.zip',
    ]);
    expect(
      lockedFilesOf({ ...lock, debian: {}, python: { runtime: [], build: [] } }, 'git'),
    ).toEqual([
      { kind: 'go', module: 'x.test/A', file: 'v1.0.0.mod', sha256: file.sha256, size: 1 },
    ]);
  });

  it('has the same bytes for any folder, umask, times and directory order', async () => {
    const cache = await filledCache();
    const first = sampleImage(FILES);
    const tar = await readStream(writeContext(contextOf(first), cache));
    const umask = process.umask(0o077);
    try {
      const second = sampleImage(Object.fromEntries(Object.entries(FILES).reverse()));
      utimesSync(join(second.folder, 'files/etc/a'), 1, 1);
      expect(sha256(await readStream(writeContext(contextOf(second), cache)))).toBe(sha256(tar));
    } finally {
      process.umask(umask);
    }
    expect(tar.length).toBeGreaterThan(10_000);
  });

  it('takes the published archive unchanged', async () => {
    const tar = await readStream(
      writeContext(contextOf(sampleImage(FILES), 'archive'), await filledCache()),
    );
    expect(tarRead(tar, '.inputs/sources/sample.tar')).toBe('sample-1.0.0.tar.gz');
  });

  it.each([
    ['other bytes', 'changed after it was listed', (file: string) => writeFileSync(file, 'A')],
    ['another length', 'changed after it was listed', (file: string) => writeFileSync(file, 'aa')],
    ['another mode', 'changed after it was listed', (file: string) => chmodSync(file, 0o755)],
    ['no file', 'vanished while it was read', (file: string) => rmSync(file)],
    [
      'a link',
      'changed while it was read',
      (file: string) => {
        rmSync(file);
        symlinkSync('b.conf', file);
      },
    ],
  ])(
    'raises file-changed where the disk has %s after listing, and names the file as people do',
    async (_, what, change) => {
      const definition = sampleImage(FILES);
      const entries = contextOf(definition);
      change(join(definition.folder, 'files/etc/a'));
      await expect(readStream(writeContext(entries, await filledCache()))).rejects.toMatchObject({
        code: 'file-changed',
        message: `images/sample/files/etc/a ${what}`,
      });
    },
  );

  it('has the planned content, not the current content of the disk', async () => {
    const definition = sampleImage(FILES);
    const inputs = describeSample(definition);
    writeFileSync(join(definition.folder, 'files/later'), '');
    const request = {
      definition,
      series: TRIXIE_SERIES,
      lock: SAMPLE_LOCK,
      origin: 'git',
      inputs,
    } as const;
    expect(
      listContext({ ...request, dockerfile: DOCKERFILE }).some(
        ({ path }) => path === 'files/later',
      ),
    ).toBe(false);
    expect(() => listContext({ ...request, dockerfile: 'FROM scratch\nCMD ["x"]\n' })).toThrow(
      'a template of sample changed since the plan was made',
    );
  });

  it('names the files that the cache lacks', async () => {
    const empty = openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });
    const entries = contextOf(sampleImage(FILES));
    await expect(readStream(writeContext(entries, empty))).rejects.toMatchObject({
      code: 'cache-missing',
      hint: 'run "ccp fetch"',
    });
    await expect(
      readStream(
        writeContext(
          entries.filter(({ path }) => path.endsWith('sample.tar')),
          empty,
        ),
      ),
    ).rejects.toMatchObject({
      code: 'input-missing',
      message: `commit ${SAMPLE_COMMIT} of https://git.test/sample is not in the cache`,
    });
  });
});

describe('a context for locking', () => {
  it('names each derived input of a context by its key', async () => {
    const asked: string[] = [];
    const cache = await filledCache();
    const recording = { ...cache, derived: (key: string) => (asked.push(key), cache.derived(key)) };
    const bootstrap = SAMPLE_LOCK.debian['runtime']!;
    const lock = { ...SAMPLE_LOCK, debian: { bootstrap } };
    await cache.putDerived(
      derivedKeysOf(lock)[1]!,
      (async function* () {
        yield Buffer.from('the seed');
      })(),
    );
    const entries = listContext({
      definition: sampleImage(FILES),
      series: TRIXIE_SERIES,
      lock,
      origin: 'git',
      dockerfile: DOCKERFILE,
    });
    expect(tarRead(await readStream(writeContext(entries, recording)), '.inputs/seed.tar')).toBe(
      'the seed',
    );
    expect(asked.sort()).toEqual(derivedKeysOf(lock).sort());
  });

  it('lists files once, and sources by origin', () => {
    const both = {
      ...SAMPLE_LOCK,
      debian: { ...SAMPLE_LOCK.debian, build: SAMPLE_LOCK.debian['runtime']! },
    };
    expect(
      lockedFilesOf(both, 'git').map((file) => (file.kind === 'debian' ? file.pool : file.file)),
    ).toEqual([
      'pool/main/z/zlib/zlib1g_1.3_amd64.deb',
      'pbr-7.0-py2.py3-none-any.whl',
      'uwsgi-2.0.31.tar.gz',
    ]);
    expect(lockedFilesOf(SAMPLE_LOCK, 'archive').at(-1)).toMatchObject({
      kind: 'python',
      project: 'sample',
      file: 'sample-1.0.0.tar.gz',
    });
    expect([
      lockedGitSources(SAMPLE_LOCK, 'git'),
      lockedGitSources(SAMPLE_LOCK, 'archive'),
    ]).toEqual([[{ url: 'https://git.test/sample', commit: SAMPLE_COMMIT, submodules: [] }], []]);
  });
});

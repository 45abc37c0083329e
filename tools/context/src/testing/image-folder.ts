import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { imageName, platform, series, sha256, type Sha256 } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import type { Lock, LockSummary } from '#locks';

/** The commit that `SAMPLE_SUMMARY` locks the source of `sampleImage` to. */
export const SAMPLE_COMMIT = 'a'.repeat(40);
/** A series on Debian 13 with all images and no overrides. */
export const TRIXIE_SERIES: SeriesDefinition = {
  name: series('2026.1'),
  codename: 'gazpacho',
  suite: 'trixie',
  python: '3.13',
  overrides: [],
};
export const AMD64 = platform('linux/amd64');

/**
 * A new folder with these files (path below `images/` -> text) and the definition of
 * `images/sample` in it.
 */
export function sampleImage(
  files: Readonly<Record<string, string>>,
  changes: Partial<ImageDefinition> = {},
): ImageDefinition {
  const root = mkdtempSync(join(tmpdir(), 'ccp-inputs-'));
  mkdirSync(join(root, 'images/sample'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, 'images', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
  return {
    name: imageName('sample'),
    folder: join(root, 'images/sample'),
    title: 'Sample',
    description: 'An image\nfor tests.',
    parents: { base: imageName('debian-base') },
    sources: {
      sample: {
        repository: 'https://git.test/sample',
        refs: { '2026.1': '1.0.0' },
        archive: 'sample',
        submodules: [],
      },
    },
    debian: { runtime: { on: 'base', packages: [] } },
    python: { project: 'sample', extras: [], packages: [], tools: [], provided: [] },
    user: { name: 'sample', uid: 42001, gid: 42001, home: '/var/lib/sample' },
    labels: {},
    args: {},
    platforms: [AMD64],
    shipped: true,
    unlocked: false,
    tests: { commands: [], imports: [], importExceptions: {}, setuid: [], allow: [] },
    positions: { definition: { file: 'images/sample/image.yaml' }, parents: {} },
    ...changes,
  };
}

const NONE: Sha256 = sha256('none');

/** The summary of a lock of `sampleImage`; all parts except the source have the same hash. */
export const SAMPLE_SUMMARY: LockSummary = {
  request: NONE,
  debian: { runtime: NONE },
  python: { runtime: NONE, build: NONE },
  sources: {
    sample: {
      repository: 'https://git.test/sample',
      commit: SAMPLE_COMMIT,
      version: '1.0.0',
      archive: sha256('archive'),
    },
  },
};

/** A lock with one file of every kind; the bytes of each are its file name. */
export const SAMPLE_LOCK: Lock = {
  format: 1,
  image: imageName('sample'),
  series: TRIXIE_SERIES.name,
  request: NONE,
  debian: {
    runtime: [
      {
        name: 'zlib1g',
        version: '1:1.3',
        architecture: 'amd64',
        sha256: sha256('zlib1g_1.3_amd64.deb'),
        size: 20,
        archive: 'debian',
        pool: 'pool/main/z/zlib/zlib1g_1.3_amd64.deb',
      },
    ],
    build: [],
  },
  python: {
    runtime: [
      {
        name: 'pbr',
        version: '7.0',
        kind: 'wheel',
        file: 'pbr-7.0-py2.py3-none-any.whl',
        sha256: sha256('pbr-7.0-py2.py3-none-any.whl'),
        size: 28,
      },
      {
        name: 'uwsgi',
        version: '2.0.31',
        kind: 'sdist',
        file: 'uwsgi-2.0.31.tar.gz',
        sha256: sha256('uwsgi-2.0.31.tar.gz'),
        size: 19,
      },
    ],
    build: [],
  },
  sources: {
    sample: {
      repository: 'https://git.test/sample',
      ref: '1.0.0',
      commit: SAMPLE_COMMIT,
      version: '1.0.0',
      submodules: [],
      archive: {
        name: 'sample',
        file: 'sample-1.0.0.tar.gz',
        sha256: sha256('sample-1.0.0.tar.gz'),
        size: 19,
      },
    },
  },
};

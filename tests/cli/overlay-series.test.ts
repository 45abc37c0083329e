import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageName, series, sha256 } from '#core';
import { writeLock, type DebianPackage } from '#locks';
import { REPOSITORY } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { overlaySite } from '../helpers/overlay-site.ts';

// tests/fixtures/overlay defines the series `lts` with keystone and an image of its own.
interface File {
  readonly bytes: string;
  readonly path: string;
}

let site: string;

beforeAll(() => {
  site = overlaySite();
});

afterAll(() => rmSync(site, { recursive: true, force: true }));

it('has the images with a ref for the series, and their parents', async () => {
  const { exitCode, stdout } = await runInProcess(site, [
    'graph',
    'keystone',
    'greeter',
    '--series',
    'lts',
  ]);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout:
      'debian-base\n├─ greeter\n├─ openstack-builder\n│  ├─ openstack-base (builder)\n│  └─ keystone (builder)\n└─ openstack-base\n   └─ keystone\n',
  });
  expect(await runInProcess(site, ['graph', 'glance', '--series', 'lts'])).toMatchObject({
    exitCode: 2,
    stderr:
      'ccp: series lts has no image "glance": its source glance has no ref for it\n  -> add "sources: { glance: { refs: { lts: TAG } } }" to images/glance/overlay.yaml\n',
  });
});

it("keeps files of an overlay's lock in the cache, even for an image of the base", async () => {
  const [kept, dropped] = ['kept', 'dropped'].map((bytes) => ({
    bytes,
    path: join(site, 'cache/sha256', sha256(bytes).slice(0, 2), sha256(bytes)),
  })) as [File, File];
  for (const { path, bytes } of [kept, dropped]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    utimesSync(path, 0, 0);
  }
  const pool = {
    name: 'hello',
    version: '1',
    architecture: 'amd64',
    archive: 'debian',
    pool: 'pool/main/h/hello.deb',
    size: 4,
  } as const;
  const runtime: readonly DebianPackage[] = [{ ...pool, sha256: sha256(kept.bytes) }];
  const [name, own] = [imageName('keystone'), series('lts')];
  const layers = {
    root: site,
    locks: [site, REPOSITORY].map((root) => join(root, 'images/keystone/lock')),
    shared: [],
  };
  const lock = {
    format: 1,
    image: name,
    series: own,
    request: sha256(''),
    debian: { runtime },
    python: { runtime: [], build: [] },
    sources: {},
  } as const;
  writeLock({ name, folder: join(REPOSITORY, 'images/keystone'), layers }, lock);
  const { exitCode } = await runInProcess(site, ['cache', 'prune', '--days', '1'], {
    CCP_CACHE: join(site, 'cache'),
  });
  expect([exitCode, existsSync(kept.path), existsSync(dropped.path)]).toEqual([0, true, false]);
});

it('limits a series to a list of images', async () => {
  writeFileSync(
    join(site, 'images/series.yaml'),
    `${readFileSync(join(site, 'images/series.yaml'), 'utf8')}    images: [greeter]\n`,
  );
  expect((await runInProcess(site, ['graph', '--series', 'lts'])).stdout).toBe(
    'debian-base\n└─ greeter\n',
  );
});

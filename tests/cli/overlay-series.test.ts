import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { imageName, series, sha256 } from '#core';
import { writeLock, type DebianPackage } from '#locks';
import { REPOSITORY } from '../support/ccp.ts';
import { ccpHere } from '../support/ccp-here.ts';
import { overlaySite } from '../support/overlay-site.ts';

// tests/fixtures/overlay defines the series `lts` and takes keystone and an image of its own into it.
interface File {
  readonly bytes: string;
  readonly path: string;
}

let site: string;

beforeAll(() => {
  site = overlaySite();
});

afterAll(() => rmSync(site, { recursive: true, force: true }));

test('a series of a site has the images that have a ref for it, and what they stand on', async () => {
  const { exitCode, stdout } = await ccpHere(site, ['graph', 'keystone', 'greeter', '--series', 'lts']);
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: 'debian-base\n├─ greeter\n├─ openstack-builder\n│  ├─ openstack-base (builder)\n│  └─ keystone (builder)\n└─ openstack-base\n   └─ keystone\n',
  });
  expect(await ccpHere(site, ['graph', 'glance', '--series', 'lts'])).toMatchObject({
    exitCode: 2,
    stderr:
      'ccp: there is no image "glance" in series lts: its source glance names no ref for it\n  -> write "sources: { glance: { refs: { lts: TAG } } }" into images/glance/overlay.yaml\n',
  });
});

test("what a lock of the site names stays in the cache, though the image is the base's", async () => {
  const [kept, dropped] = ['kept', 'dropped'].map((bytes) => ({ bytes, path: join(site, 'cache/sha256', sha256(bytes).slice(0, 2), sha256(bytes)) })) as [
    File,
    File,
  ];
  for (const { path, bytes } of [kept, dropped]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    utimesSync(path, 0, 0);
  }
  const pool = { name: 'hello', version: '1', architecture: 'amd64', archive: 'debian', pool: 'pool/main/h/hello.deb', size: 4 } as const;
  const runtime: readonly DebianPackage[] = [{ ...pool, sha256: sha256(kept.bytes) }];
  const [name, own] = [imageName('keystone'), series('lts')];
  const layers = { root: site, locks: [site, REPOSITORY].map((root) => join(root, 'images/keystone/lock')), shared: [] };
  const lock = { format: 1, image: name, series: own, request: sha256(''), debian: { runtime }, python: { runtime: [], build: [] }, sources: {} } as const;
  writeLock({ name, folder: join(REPOSITORY, 'images/keystone'), layers }, lock);
  const { exitCode } = await ccpHere(site, ['cache', 'prune', '--days', '1'], { CCP_CACHE: join(site, 'cache') });
  expect([exitCode, existsSync(kept.path), existsSync(dropped.path)]).toEqual([0, true, false]);
});

test('a list of images narrows a series', async () => {
  writeFileSync(join(site, 'images/series.yaml'), `${readFileSync(join(site, 'images/series.yaml'), 'utf8')}    images: [greeter]\n`);
  expect((await ccpHere(site, ['graph', '--series', 'lts'])).stdout).toBe('debian-base\n└─ greeter\n');
});

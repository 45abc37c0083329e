import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REPOSITORY } from '../support/ccp.ts';
import { ccpHere } from '../support/ccp-here.ts';

// tests/fixtures/overlay defines the series `lts` and takes keystone and an image of its own into it.
let site: string;

beforeAll(() => {
  site = mkdtempSync(join(tmpdir(), 'ccp-site-'));
  cpSync(join(REPOSITORY, 'tests/fixtures/overlay'), site, { recursive: true });
  writeFileSync(join(site, 'overlay.yaml'), readFileSync(join(site, 'overlay.yaml'), 'utf8').replace(/^base: .*$/m, `base: ${REPOSITORY}`));
  writeFileSync(join(site, '.ccp.yaml'), 'origin: archive\n');
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
    stderr: 'ccp: there is no image "glance" in series lts: its source glance names no ref for it\n  -> write "sources: { glance: { refs: { lts: TAG } } }" into images/glance/overlay.yaml\n',
  });
});

test('a list of images narrows a series', async () => {
  writeFileSync(join(site, 'images/series.yaml'), `${readFileSync(join(site, 'images/series.yaml'), 'utf8')}    images: [greeter]\n`);
  expect((await ccpHere(site, ['graph', '--series', 'lts'])).stdout).toBe('debian-base\n└─ greeter\n');
});

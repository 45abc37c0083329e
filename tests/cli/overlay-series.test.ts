import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ccpHere } from '../support/ccp-here.ts';
import { overlaySite } from '../support/overlay-site.ts';

// tests/fixtures/overlay defines the series `lts` and takes keystone and an image of its own into it.
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

test('a list of images narrows a series', async () => {
  writeFileSync(join(site, 'images/series.yaml'), `${readFileSync(join(site, 'images/series.yaml'), 'utf8')}    images: [greeter]\n`);
  expect((await ccpHere(site, ['graph', '--series', 'lts'])).stdout).toBe('debian-base\n└─ greeter\n');
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImageStore, Memo } from '#ports';
import { memoryMemo } from '#ports/testing';
import { installedPackages, openStore } from '../index.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../testing/push-image.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-installed-'));
const folder = join(root, 'store');
let store: ImageStore;
beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const file = (name: string, content: string) => ({ name, type: 'file' as const, content });
const status = (...packages: readonly string[]) =>
  file('var/lib/dpkg/status', `${packages.join('\n\n')}\n\n`);
const LIBC =
  'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nSource: glibc\nVersion: 2.41-12';
const REMOVED = 'Package: gone\nStatus: deinstall ok config-files\nVersion: 1';
const BASH =
  'Package: bash\nStatus: install ok installed\nArchitecture: amd64\nSource: bash (5.2.37-2)\nVersion: 5.2.37-2+b5\nDescription: a shell\n Version: 0';
const SITE = 'opt/openstack/lib/python3.13/site-packages';
const dist = (name: string, version: string, path = SITE) =>
  file(
    `${path}/${name}-${version}.dist-info/METADATA`,
    `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n\nName: in the description\n`,
  );

it('finds packages of all layers, without removed and vendored ones', async () => {
  const layers = [
    [
      status(LIBC),
      dist('Old', '1.0'),
      dist('Kept', '2.0'),
      dist('debian', '1', 'usr/lib/python3/dist-packages'),
      dist('copy', '1', `${SITE}/setuptools/_vendor`),
      file(`${SITE}/egg-1.egg-info/PKG-INFO`, 'Name: egg\r\nVersion: 1\r\n'),
    ],
    [status(LIBC, REMOVED, BASH), file(`${SITE}/.wh.Old-1.0.dist-info`, ''), dist('Old', '1.1')],
  ].map((entries) => fixtureTar(entries));
  const image = await pushAndSeal(store, testIdentity('packages'), layers);
  await store.publish(image);
  const { digest } = image;
  const { recall, ...others } = memoryMemo();
  let computed = 0;
  const memo: Memo = {
    ...others,
    recall: (key, compute) =>
      recall(key, () => {
        computed += 1;
        return compute();
      }),
  };
  const found = await installedPackages(folder, digest, memo);
  expect(found.debian).toEqual([
    { name: 'libc6', version: '2.41-12', architecture: 'amd64', source: 'glibc' },
    {
      name: 'bash',
      version: '5.2.37-2+b5',
      architecture: 'amd64',
      source: 'bash',
      sourceVersion: '5.2.37-2',
    },
  ]);
  expect(found.python.map(({ name, version }) => `${name} ${version}`).sort()).toEqual([
    'Kept 2.0',
    'Old 1.1',
    'egg 1',
  ]);
  expect(computed).toBeGreaterThan(0);
  computed = 0;
  expect(await installedPackages(folder, digest, memo)).toEqual(found);
  expect(computed).toBe(0);
});

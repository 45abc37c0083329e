import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccp, ccpJson } from '../helpers/ccp.ts';
import { overlaySite } from '../helpers/overlay-site.ts';
import { debianMirror, type DebianMirror } from '../helpers/debian/debian-mirror.ts';
import { lockedPackages, updated } from '../helpers/debian/repository-mirror.ts';
import { testPackage, type TestPackage } from '../helpers/debian/test-package.ts';
import { linkStore } from '../helpers/link-store.ts';

// tests/fixtures/overlay adds an image, patches, Debian and Python packages, a Go module, an
// override and a series to this repository's images. Debian's mirror is a local one.
let site: string;
let mirror: DebianMirror;

beforeAll(async () => {
  site = overlaySite();
  mirror = await debianMirror(['trixie'], site);
  writeFileSync(join(site, '.ccp.yaml'), `origin: archive\n${mirror.settings}`);
  linkStore(site);
});

afterAll(async () => {
  await mirror.close();
  rmSync(site, { recursive: true, force: true });
});

async function succeed(...args: readonly string[]): Promise<string> {
  const result = await ccp(site, args);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

/** A package with one program, a script that ends with these lines. */
function program(name: string, script: string, file = name): Promise<TestPackage> {
  const programs = { [`usr/bin/${file}`]: `#!/bin/sh\n${script}\n` };
  return testPackage(name, '2.10-5', { fields: ['Depends: libc6 (>= 2.38)'], programs });
}

it('adds an image, patches, packages, an override and a series with files of the site', async () => {
  const own = [
    await program('hello', 'echo "Hello, world!"'),
    await program('netcat-openbsd', 'exit 0', 'nc'),
  ];
  const base = await lockedPackages(['debian-base']);
  const others = await lockedPackages([
    'openstack-base',
    'openstack-builder',
    'keystone',
    'go-builder',
  ]);
  // Debian updated every package of the base image.
  mirror.publish([...updated(base), ...others, ...own]);
  expect(await succeed('lock', 'keystone', 'greeter')).toMatch(
    /~ pyasn1 0\.6\.0 -> 0\.6\.2[^]*\+ python-json-logger 4\.0\.0/,
  );
  await succeed('build', 'keystone', 'greeter', '--yes');
  expect(
    await succeed(
      'run',
      'keystone',
      '--',
      '/opt/openstack/bin/python',
      '-c',
      'import keystone.version as v; print(v.release_string())',
    ),
  ).toBe('v3.14-north.2\n');
  expect(await succeed('run', 'greeter')).toBe('Hello, world!\n');
  expect(await ccp(site, ['run', 'greeter', '--', 'helo'])).toMatchObject({
    exitCode: 127,
    stderr:
      'ccp: cannot run "helo" in greeter: program helo not found in the image\n  -> use a program that the image contains\n',
  });
  expect(await succeed('lock', 'node-exporter')).toContain(
    '~ golang.org/x/sys v0.47.0 -> v0.49.0\n',
  );
  await succeed('build', 'node-exporter', '--yes');
  expect(
    await succeed(
      'run',
      'node-exporter',
      '--',
      'sh',
      '-c',
      'grep -aom 1 "golang.org/x/sys@v[0-9.]*" /usr/bin/node_exporter | head -n 1',
    ),
  ).toBe('golang.org/x/sys@v0.49.0\n');
  expect(await succeed('explain', 'keystone')).toContain(
    '  - debian.runtime.packages: netcat-openbsd (images/keystone/overlay.yaml:9:25)\n',
  );

  mirror.publish([...base, ...others, ...own]);
  await succeed('lock', 'greeter', '--series', 'lts');
  await succeed('build', 'greeter', '--series', 'lts', '--yes');
  const { images } = await ccpJson<{
    readonly images: readonly { readonly image: string; readonly version: string }[];
  }>(site, ['plan', 'greeter', '--series', 'lts']);
  expect(images.map(({ image, version }) => `${image} ${version.split('-')[0]}`)).toEqual([
    'debian-base lts',
    'greeter lts',
  ]);
}, 1_800_000);

it('fails the build and names the patch if a patch does not apply', async () => {
  writeFileSync(
    join(site, 'images/keystone/patches/name-its-build.patch'),
    '--- a/keystone/version.py\n+++ b/keystone/version.py\n@@ -15 +15 @@\n-    return 1\n+    return 2\n',
  );
  expect(await succeed('explain', 'keystone')).toContain(
    '  - patch keystone.patches/002-name-its-build.patch changed\n',
  );
  const { exitCode, stderr } = await ccp(site, ['build', 'keystone', '--yes']);
  expect(exitCode).toBe(1);
  expect(stderr).toContain(
    'images/keystone/overlay.yaml:7:9: the patch name-its-build.patch does not apply to keystone: the hunk at line 3 does not match keystone/version.py at line 15:\n',
  );
});

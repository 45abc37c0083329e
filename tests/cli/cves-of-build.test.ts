import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { publishingTest } from '../helpers/published-workspace.ts';
import { storePlannedImages } from '../helpers/store-planned-images.ts';

it('compares the packages in the layers of the last build', async () => {
  const test = await publishingTest();
  onTestFinished(() => test.close());
  const own = await test.workspace();
  const env = { CCP_CACHE: join(test.folder, 'cache'), DOCKER_HOST: 'unix:///nothing.sock' };
  await storePlannedImages(own.root, env, '', {
    'var/lib/dpkg/status':
      'Package: libldap2\nStatus: install ok installed\nArchitecture: amd64\nSource: openldap (2.6.10+dfsg-1)\nVersion: 2.6.10+dfsg-1+b1\n\n',
  });
  expect(await test.run(own, 'build')).toMatchObject({ exitCode: 0 });
  const state = (status: string, more: object) => ({
    releases: { trixie: { status, repositories: { trixie: '2.6.10+dfsg-2' }, ...more } },
  });
  const openldap = {
    'CVE-2026-1001': state('resolved', { fixed_version: '2.6.10+dfsg-2' }),
    'CVE-2026-1002': state('open', { nodsa: 'Minor issue', nodsa_reason: 'ignored' }),
    'CVE-2026-1003': state('resolved', { fixed_version: '0' }),
  };
  own.write('tracker.json', JSON.stringify({ openldap }));
  const tracker = join(own.root, 'tracker.json');
  const { exitCode, stdout } = await test.run(own, 'cves', '--debian', tracker);
  expect(stdout.split('\n')).toEqual([
    'CVE-2026-1001  fixable now  debian openldap 2.6.10+dfsg-1 -> 2.6.10+dfsg-2',
    '  packages: libldap2',
    '  images: base',
    'CVE-2026-1002  ignored by Debian  debian openldap 2.6.10+dfsg-1',
    '  Debian: ignored (Minor issue)',
    '  packages: libldap2',
    '  images: base',
    'the last build of 2026.1, 1 image: 1 fixable now, 1 ignored by Debian, 1 not affected',
    'fails because of fixable',
  ]);
  expect(exitCode).toBe(1);
});

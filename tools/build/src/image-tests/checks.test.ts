import { describe, expect, it } from 'vitest';
import { commandFindings } from './command-check.ts';
import { imageFileFindings } from './file-checks.ts';
import { libraryFindings } from './library-check.ts';
import { userFindings } from './user-check.ts';
import { mentionsVersion, upstreamVersion } from './version-text.ts';

const rules = {
  shipped: true,
  setuid: ['/usr/bin/sudo'],
  allow: ['/usr/include/kept.h', '/opt/tools/*'],
  inputs: ['sample-1.0.tar.gz'],
};
const file = (path: string, type = 'f', mode = 0o644) => ({ path, type, mode });

describe('versions', () => {
  it.each([
    ['1:11.8.6-0+deb13u1', '11.8.6'],
    ['1.6.38-1', '1.6.38'],
    ['4.0.5-8', '4.0.5'],
    ['2.4.62+dfsg-1~deb12u2', '2.4.62'],
    ['3.5.0+ds1-2', '3.5.0'],
    ['2026b-0+deb13u1', '2026b'],
    ['13.8+deb13u5', '13.8'],
    ['1.2.3', '1.2.3'],
    ['5.2.37-2+b1', '5.2.37'],
  ])('extracts the upstream part of %s', (debian, upstream) =>
    expect(upstreamVersion(debian)).toBe(upstream),
  );

  it.each([
    ['mariadbd  Ver 11.8.6-MariaDB', '11.8.6', true],
    ['v4.0.5.', '4.0.5', true],
    ['29.0.21', '29.0.2', false],
    ['129.0.2', '29.0.2', false],
    ['1.29.0.2', '29.0.2', false],
    ['29.0.2.dev4', '29.0.2', true],
    ['29.0.3', '29.0.3.dev1', true],
    ['29.0.3', '29.0.3.0rc2.dev1', true],
    ['29.0.2', '29.0.3.dev1', false],
  ])('in %j finds %s: %s', (text, version, found) =>
    expect(mentionsVersion(text, version)).toBe(found),
  );
});

describe('imageFileFindings', () => {
  it.each([
    ['compiler', '/usr/bin/x86_64-linux-gnu-gcc-14'],
    ['compiler', '/usr/lib/gcc/x86_64-linux-gnu/14/cc1plus'],
    ['compiler', '/opt/x/bin/make'],
    ['compiler', '/usr/bin/ld.bfd'],
    ['header', '/usr/include/python3.13/Python'],
    ['header', '/opt/openstack/include/greenlet.h'],
    ['package-cache', '/var/lib/apt/lists/deb_main_Packages'],
    ['package-cache', '/var/cache/apt/pkgcache.bin'],
    ['header', '/opt/x/include/a.h++'],
    ['header', '/opt/x/include/a.H'],
    ['package-cache', '/root/.cache/x'],
    ['package-cache', '/root/.npm/_cacache/index-v5/x'],
    ['package-cache', '/root/go/pkg/mod/cache/download/x'],
    ['locked-input', '/left/UPPER.DEB'],
    ['package-cache', '/home/a/.cache/uv/x'],
    ['mount-stub', '/run/debs'],
    ['mount-stub', '/x/.inputs/y'],
    ['locked-input', '/x/debian/runtime/memcached_1.6.38-1_amd64.deb'],
    ['locked-input', '/wheels/a-1.0-py3-none-any.whl'],
    ['locked-input', '/opt/sample-1.0.tar.gz'],
    ['git', '/opt/x/.git'],
    ['source-tree', '/build/keystone/setup.cfg'],
    ['source-tree', '/usr/src/x.c'],
  ])('finds a %s in %s', (check, path) => {
    expect(imageFileFindings([file(path)], rules).map((finding) => finding.check)).toEqual([check]);
  });

  it.each([
    '/usr/bin/makeinfo',
    '/usr/bin/ldd',
    '/usr/share/doc/gcc',
    '/usr/lib/python3/dist-packages/as',
    '/opt/openstack/lib/python3.13/site-packages/numpy/setup.py',
    '/var/lib/apt/lists/lock',
    '/run/lock',
    '/usr/include/kept.h',
    '/opt/tools/bin/gcc',
    '/x/.gitignore',
    '/usr/share/doc/other-1.0.tar.gz',
    '/usr/lib/python3.13/config/Makefile',
  ])('accepts %s', (path) => expect(imageFileFindings([file(path)], rules)).toEqual([]));

  it('finds setuid and setgid files, but not directories, that are not listed', () => {
    const files = [
      file('/usr/bin/sudo', 'f', 0o4755),
      file('/usr/bin/wall', 'f', 0o2755),
      file('/var/mail', 'd', 0o2775),
      file('/usr/bin/su', 'f', 0o4755),
    ];
    expect(imageFileFindings(files, rules)).toEqual([
      {
        check: 'setuid',
        message:
          'files are setuid or setgid and not listed under tests.setuid: /usr/bin/su, /usr/bin/wall',
      },
    ]);
  });

  it('escapes line breaks in file names', () => {
    expect(
      imageFileFindings([file('/x/new\nline.deb')], rules).map(({ message }) => message),
    ).toEqual(['the image contains installation files of packages: /x/new\\nline.deb']);
  });

  it('lists the first files, and accepts compilers and headers in builder images', () => {
    const headers = Array.from({ length: 7 }, (_, index) => file(`/usr/include/${index}.h`));
    expect(imageFileFindings(headers, rules)[0]!.message).toBe(
      'the image contains C headers: /usr/include/0.h, /usr/include/1.h, /usr/include/2.h, /usr/include/3.h, /usr/include/4.h and 2 more',
    );
    expect(
      imageFileFindings([...headers, file('/usr/bin/gcc')], { ...rules, shipped: false }),
    ).toEqual([]);
  });
});

describe('libraryFindings', () => {
  it('lists missing libraries, except of object files and exceptions', () => {
    const faults = [
      {
        path: '/a',
        loaderOutput:
          '\tlibx.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tliby.so => not found',
      },
      {
        path: '/b',
        loaderOutput:
          "/b: /lib/libc.so.6: version `GLIBC_9' not found (required by /b)\n\tlinux-vdso.so.1 (0x1)",
      },
      {
        path: '/c.o',
        loaderOutput:
          '/c.o: error while loading shared libraries: /c.o: only ET_DYN and ET_EXEC can be loaded',
      },
      { path: '/opt/tools/d', loaderOutput: '\tlibx.so.1 => not found' },
      { path: '/e', loaderOutput: '' },
    ];
    expect(libraryFindings(faults, rules.allow).map(({ message }) => message)).toEqual([
      '/a needs libx.so.1, liby.so, missing in the image',
      "/b cannot be loaded: /b: /lib/libc.so.6: version `GLIBC_9' not found (required by /b)",
      '/e cannot be loaded: the image has no loader',
    ]);
  });
});

describe('userFindings', () => {
  const user = { name: 'keystone', uid: 42425, gid: 42425, home: '/var/lib/keystone' };
  const line = 'keystone:x:42425:42425::/var/lib/keystone:/usr/sbin/nologin';
  it.each([
    [{ config: { User: '42425:42425' } }, [line], user, []],
    [{ config: { User: '42425' } }, [line], user, []],
    [
      { config: { User: 'keystone' } },
      [line],
      user,
      ['the image runs as keystone instead of 42425:42425 (keystone)'],
    ],
    [{ config: { User: '42425' } }, [], user, ['/etc/passwd has no user keystone']],
    [{}, [], undefined, []],
    [
      { config: { User: '42' } },
      [],
      undefined,
      ['the image runs as 42, but its definition has no user'],
    ],
  ])('checks %j', (config, users, expected, messages) => {
    expect(userFindings(config, users, expected).map(({ message }) => message)).toEqual(messages);
  });
});

describe('commandFindings', () => {
  const versions = {
    sources: { keystone: '29.0.2' },
    go: { node_exporter: '1.12.1' },
    python: { keystone: '1' },
    debian: { memcached: '1.6.38-1' },
  };
  const command = { name: 'runs', run: ['x', '-v'], exitCode: 0 };
  it.each([
    [{ ...command, version: 'keystone' }, { exitCode: 0, output: '29.0.2' }, undefined],
    [{ ...command, version: 'memcached' }, { exitCode: 0, output: 'memcached 1.6.38' }, undefined],
    [{ ...command, exitCode: 3 }, { exitCode: 3, output: '' }, undefined],
    [command, undefined, 'was not run: the container exited before it'],
    [command, { exitCode: 124, output: '' }, 'timed out; it printed nothing'],
    [
      command,
      { exitCode: 137, output: '' },
      'was killed: it timed out and ignored SIGTERM, or killed itself; it printed nothing',
    ],
    [
      command,
      { exitCode: 1, output: 'no such file\n' },
      'exited with code 1 instead of 0; its last output is "no such file"',
    ],
    [
      command,
      { exitCode: 1, output: '1\n2\nno such file\n\n4\n5\n6\nTerminated' },
      'exited with code 1 instead of 0; its last output is:\n    2\n    no such file\n    4\n    5\n    6\n    Terminated',
    ],
    [
      { ...command, stdout: 'ready' },
      { exitCode: 0, output: 'not yet' },
      'does not print "ready"; its last output is "not yet"',
    ],
    [
      { ...command, version: 'nova' },
      { exitCode: 0, output: '1' },
      'has no version to compare with: the lock has no source, Go program, Python project or Debian package nova',
    ],
  ])('checks %j', (expectation, result, text) => {
    expect(commandFindings(expectation, result, versions).map(({ message }) => message)).toEqual(
      text === undefined ? [] : [`runs: \`x -v\` ${text}`],
    );
  });
});

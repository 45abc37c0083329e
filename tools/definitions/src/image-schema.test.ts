import { describe, expect, it } from 'vitest';
import { parseYaml, type JsonSchema } from './index.ts';
import { errorsOf } from './testing.ts';
import { imageSchema } from './testing/loaded-schemas.ts';

describe('a definition cannot add to a Dockerfile or to a command line', () => {
  it.each([
    [
      { title: 'x\nRUN id' },
      'title must be one line without " \\ ` $ or control characters, not "x\\nRUN id"',
    ],
    [
      { title: 'x" org.evil="1' },
      'title must be one line without " \\ ` $ or control characters, not "x\\" org.evil=\\"1"',
    ],
    [
      { description: 'ends in \\' },
      'description must be one line without " \\ ` $ or control characters, not "ends in \\\\"',
    ],
    [
      { labels: { 'org.example.team': 'x\nUSER root' } },
      'labels.org.example.team must be one line without " \\ ` $ or control characters, not "x\\nUSER root"',
    ],
    [
      { labels: { 'a b': 'x' } },
      'the key "a b" in labels must be a label such as org.example.team that is not set for every image',
    ],
    [
      { labels: { 'org.opencontainers.image.version': 'x' } },
      'the key "org.opencontainers.image.version" in labels must be a label such as org.example.team that is not set for every image',
    ],
    [
      { args: { A: '$(id)' } },
      'args.A must be one line without " \\ ` $ or control characters, not "$(id)"',
    ],
    [
      { args: { CCP_PARENT_BASE: 'scratch' } },
      'the key "CCP_PARENT_BASE" in args must be upper-case letters, digits and underscores, not starting with CCP_ or BUILDKIT_ and not a proxy variable',
    ],
    [
      { parents: { 'base\nRUN id': 'x' } },
      'the key "base\\nRUN id" in parents must be lower-case letters, digits and underscores, a letter first',
    ],
    [
      { parents: { base: 'evil/x@sha256:0' } },
      'parents.base must be an image name: lower-case letters, digits and single dashes, not "evil/x@sha256:0"',
    ],
    [
      { debian: { runtime: { packages: ['a; id'] } } },
      'debian.runtime.packages[0] must be the name of a Debian package, not "a; id"',
    ],
    [
      { debian: { runtime: { packages: ['--option'] } } },
      'debian.runtime.packages[0] must be the name of a Debian package, not "--option"',
    ],
    [
      { debian: { runtime: { packages: ['dpkg-'] } } },
      'debian.runtime.packages[0] must be the name of a Debian package, not "dpkg-"',
    ],
    [
      { debian: { runtime: { packages: [{ value: './x.deb', series: ['master'] }] } } },
      'debian.runtime.packages[0].value must be the name of a Debian package, not "./x.deb"',
    ],
    [
      { python: { packages: ['x @ https://evil.example/x'] } },
      'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "x @ https://evil.example/x"',
    ],
    [
      { python: { packages: ['-r x'] } },
      'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "-r x"',
    ],
    [
      { python: { packages: ['x --hash=1'] } },
      'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "x --hash=1"',
    ],
    [
      { go: { modules: ['x.test/a@main; id'] } },
      'go.modules[0] must be a Go module with a version, such as github.com/prometheus/node_exporter@v1.12.1, not "x.test/a@main; id"',
    ],
    [
      { go: { modules: ['x.test/../a@v1.0.0'] } },
      'go.modules[0] must be a Go module with a version, such as github.com/prometheus/node_exporter@v1.12.1, not "x.test/../a@v1.0.0"',
    ],
    [
      { go: { programs: { a: './../b' } } },
      'go.programs.a must be an import path, or ./NAME, not "./../b"',
    ],
    [
      { user: { name: 'x y', uid: 2000, gid: 2000, home: '/x' } },
      'user.name must be a user name: lower-case letters, digits, dashes and underscores; not root, not "x y"',
    ],
    [
      { user: { name: 'root', uid: 2000, gid: 2000, home: '/x' } },
      'user.name must be a user name: lower-case letters, digits, dashes and underscores; not root, not "root"',
    ],
    [
      { user: { name: 'x', uid: 2000, gid: 2000, home: '/x && id' } },
      'user.home must be an absolute path without . or .., not "/x && id"',
    ],
    [
      { user: { name: 'x', uid: 2000, gid: 2000, home: '/x/../etc' } },
      'user.home must be an absolute path without . or .., not "/x/../etc"',
    ],
    [
      { tests: { setuid: ['usr/bin/su'] } },
      'tests.setuid[0] must be an absolute path without . or .., not "usr/bin/su"',
    ],
    [
      { tests: { allow: ['/usr/*/x'] } },
      'tests.allow[0] must be an absolute path without . or .., a * only at its end, not "/usr/*/x"',
    ],
  ])('refuses %j', (fields, error) => {
    const text = JSON.stringify({ title: 'X', description: 'X', ...fields });
    expect(errorsOf(() => parseYaml(text, 'x', imageSchema))).toMatch(/^x:1:\d+: /);
    expect(errorsOf(() => parseYaml(text, 'x', imageSchema)).replace(/^x:1:\d+: /, '')).toBe(error);
  });
});

describe('sources', () => {
  const source = imageSchema.$defs!;
  const allows = (schema: JsonSchema, value: string) =>
    errorsOf(() => parseYaml(JSON.stringify(value), 'x', schema)) === 'nothing raised';

  it.each([
    'https://opendev.org/openstack/keystone',
    'https://git.example:8443/a/b.git',
    'http://127.0.0.1:3000/a.git',
    'http://localhost/a',
    'ssh://git@git.example:29418/a/b',
    'file:///srv/git/a.git',
  ])('take the repository %s', (url) => {
    expect(allows(source['repository']!, url)).toBe(true);
  });

  it.each([
    'http://opendev.org/a',
    'http://127.0.0.1.evil.example/a',
    'http://localhost@evil.example/a',
    'https://me:secret@git.example/a',
    'https://-oProxyCommand=id/a',
    'ssh://-oProxyCommand=id/a',
    'git@git.example:a/b',
    'ext::sh -c id',
    'git://git.example/a',
    'file://host/a',
    '/srv/git/a',
    '--upload-pack=id',
    'https://git.example/a b',
    'https://git.example/a%0ab',
    'https://git.example/a?x',
    'https://git.example',
  ])('refuse the repository %s', (url) => {
    expect(allows(source['repository']!, url)).toBe(false);
  });

  it.each(['29.0.2', 'stable/2026.1', 'master', 'refs/tags/v1', 'a@b', 'x.locked', 'a-b_c'])(
    'take the ref %s',
    (ref) => {
      expect(allows(source['ref']!, ref)).toBe(true);
    },
  );

  it.each([
    '-x',
    '--upload-pack=id',
    '',
    '.a',
    'a/.b',
    'a..b',
    'a//b',
    '/a',
    'a/',
    'a.',
    'a.lock',
    'a.lock/b',
    'a@{1}',
    '@',
    'a b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a\nb',
  ])('refuse the ref %j', (ref) => {
    expect(allows(source['ref']!, ref)).toBe(false);
  });
});

describe('requirements', () => {
  it.each([
    'oslo.config',
    'oslo.db[mysql,postgresql]>=1.0,<2',
    'uwsgi==2.0.30',
    "tomli ; python_version < '3.11'",
    "a[b] ~= 1.0 ; sys_platform == 'linux' and python_version >= '3.11'",
  ])('take %s', (requirement) => {
    expect(
      errorsOf(() =>
        parseYaml(JSON.stringify(requirement), 'x', imageSchema.$defs!['requirement']!),
      ),
    ).toBe('nothing raised');
  });
});

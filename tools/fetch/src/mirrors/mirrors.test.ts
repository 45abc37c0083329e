import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverDebianMirrors } from './discover-debian.ts';
import { discoverGoProxies } from './discover-go.ts';
import { discoverNpmRegistries } from './discover-npm.ts';
import { discoverPythonIndex, type PythonHost } from './discover-python.ts';
import { openMirrors } from './open-mirrors.ts';

function rootWith(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('discoverDebianMirrors', () => {
  it('reads one-line sources', () => {
    const text = `# comment
deb [arch=amd64 signed-by=/k.gpg] http://a.test/debian/ bookworm main contrib # tail
deb-src http://src.test/debian bookworm main
deb http://a.test/debian bookworm-updates main
deb https://b.test/debian-security bookworm-security main
deb http://old.test/security buster/updates main
deb https://vendor.test/apt vendor-bookworm main
deb cdrom:[Debian]/ bookworm main
#deb http://off.test/debian bookworm main
`;
    expect(discoverDebianMirrors(rootWith({ 'etc/apt/sources.list': text }))).toEqual({
      debian: ['http://a.test/debian'],
      'debian-security': ['https://b.test/debian-security', 'http://old.test/security'],
    });
  });

  it('reads deb822 sources: several stanzas, folded fields, comments, disabled ones', () => {
    const text = `Types: deb deb-src
# a comment inside
URIs: http://a.test/debian/
  http://b.test/debian
Suites: trixie trixie-updates
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 Deb: no field
 -----END PGP PUBLIC KEY BLOCK-----

types: deb
uris: http://a.test/debian-security
suites: trixie-security
components: main

Enabled: no
Types: deb
URIs: http://off.test/debian
Suites: trixie

Types: deb-src
URIs: http://src.test/debian
Suites: trixie
`;
    const files = {
      'etc/apt/sources.list.d/debian.sources': text,
      'etc/apt/sources.list.d/x.list.save': 'deb http://saved.test/debian sid main\n',
      'etc/apt/sources.list': '',
    };
    expect(discoverDebianMirrors(rootWith(files))).toEqual({
      debian: ['http://a.test/debian', 'http://b.test/debian'],
      'debian-security': ['http://a.test/debian-security'],
    });
  });

  it('finds nothing on a host that has no Debian sources', () => {
    expect(
      discoverDebianMirrors(
        rootWith({ 'etc/apt/sources.list': 'deb http://other.test/ubuntu noble main\n' }),
      ),
    ).toEqual({
      debian: [],
      'debian-security': [],
    });
  });
});

describe('discoverPythonIndex', () => {
  const discover = (
    files: Readonly<Record<string, string>>,
    env: NodeJS.ProcessEnv = {},
    pipDefault: PythonHost['pipDefault'] = () => 'https://default.test/simple',
  ) => {
    const root = rootWith(files);
    return discoverPythonIndex({ env, root, home: join(root, 'home'), pipDefault }).map(
      ({ url, from }) => `${url} from ${from.replace(`${root}/`, '')}`,
    );
  };
  const uv = {
    'home/.config/uv/uv.toml':
      '[[index]]\nurl = "https://extra.test/simple"\n[[index]]\nurl = "https://uv.test/simple"\ndefault = true\n',
  };
  const pip = {
    'etc/pip.conf':
      '[global]\nindex-url = https://pip.test/simple\nextra-index-url =\n    https://x.test/simple\n    https://y.test/simple/\ncert = /c\n[list]\nindex-url = https://no.test\n',
  };

  it.each([
    [
      'environment over files',
      { ...uv, ...pip },
      { PIP_INDEX_URL: 'https://env.test/simple', PIP_FIND_LINKS: '/opt/wheels' },
      ['https://env.test/simple/ from PIP_INDEX_URL'],
    ],
    [
      "uv's environment over pip's",
      {},
      { PIP_INDEX_URL: 'https://p.test/', UV_INDEX_URL: 'https://u.test/' },
      ['https://u.test/ from UV_INDEX_URL'],
    ],
    [
      'a named index of uv',
      {},
      { UV_DEFAULT_INDEX: 'corp=https://u.test/simple' },
      ['https://u.test/simple/ from UV_DEFAULT_INDEX'],
    ],
    [
      "uv's file over pip's",
      { ...uv, ...pip },
      {},
      ['https://uv.test/simple/ from home/.config/uv/uv.toml'],
    ],
    [
      "pip's file with more indexes",
      pip,
      {},
      [
        'https://pip.test/simple/ from etc/pip.conf',
        'https://x.test/simple/ from etc/pip.conf',
        'https://y.test/simple/ from etc/pip.conf',
      ],
    ],
    [
      "pip's default where files say nothing of it",
      { 'etc/pip.conf': '[global]\ncert = /c\n', 'etc/uv/uv.toml': 'offline = false\n' },
      {},
      ["https://default.test/simple/ from pip's default"],
    ],
  ])('takes %s', (_, files, env, expected) => {
    expect(discover(files, env)).toEqual(expected);
  });

  it('names the setting if no index is configured', () => {
    expect(() => discover({}, {}, () => undefined)).toThrow(
      'no Python package index is configured: neither uv nor pip names one, and pip was not found',
    );
  });
});

describe('discoverGoProxies', () => {
  it.each([
    [
      { GOPROXY: 'https://corp.test/go/,https://next.test|direct' },
      'https://default.test',
      ['https://corp.test/go', 'https://next.test'],
    ],
    [{}, 'https://default.test,direct', ['https://default.test']],
    [{ GOPROXY: '' }, 'https://default.test', ['https://default.test']],
  ])('takes %j before %s', (env, goDefault, expected) => {
    expect(discoverGoProxies({ env, goDefault: () => goDefault })).toEqual(expected);
  });

  it.each([
    [{}, 'no Go module proxy is configured: GOPROXY is not set, and the go command was not found'],
    [{ GOPROXY: 'direct' }, 'GOPROXY is "direct", which does not contain an HTTP proxy'],
  ])('names the setting for %j', (env, message) => {
    expect(() => discoverGoProxies({ env, goDefault: () => undefined })).toThrow(
      expect.objectContaining({
        message,
        hint: 'set "mirrors: { go: [URL] }" in .ccp.yaml, or GOPROXY',
      }),
    );
  });
});

it('names the place of an invalid URL', () => {
  const hint = 'fix the URL there, or set "mirrors" in .ccp.yaml';
  const refused = (message: string) =>
    expect.objectContaining({ code: 'mirror-invalid', message, hint });
  const root = rootWith({
    'etc/apt/sources.list': 'deb http://h:99999/debian trixie main\n',
    'etc/pip.conf': '[global]\nindex-url = https://[pip/simple\n',
  });
  expect(() => discoverDebianMirrors(root)).toThrow(
    refused(`${root}/etc/apt/sources.list has an invalid URL: http://h:99999/debian`),
  );
  expect(() => discoverPythonIndex({ env: {}, root, home: root })).toThrow(
    refused(`${root}/etc/pip.conf has an invalid URL: https://[pip/simple`),
  );
  const env = { PIP_INDEX_URL: 'https://p.test/', PIP_EXTRA_INDEX_URL: 'https://%/' };
  expect(() => discoverPythonIndex({ env, root, home: root })).toThrow(
    refused('PIP_EXTRA_INDEX_URL has an invalid URL: https://%/'),
  );
  expect(() => discoverGoProxies({ env: { GOPROXY: 'https://g.test,http://:80' } })).toThrow(
    refused('GOPROXY has an invalid URL: http://:80'),
  );
  expect(() => discoverNpmRegistries({ env: { npm_config_registry: 'http://' } })).toThrow(
    refused('npm_config_registry has an invalid URL: http://'),
  );
  expect(() => discoverNpmRegistries({ env: {}, npmDefault: () => 'http://?' })).toThrow(
    refused('the registry of `npm config` has an invalid URL: http://?'),
  );
});

describe('discoverNpmRegistries', () => {
  it.each([
    [
      { NPM_CONFIG_REGISTRY: 'https://corp.test/npm/' },
      'https://default.test',
      ['https://corp.test/npm/'],
    ],
    [{}, 'https://default.test', ['https://default.test']],
  ])('takes %j before %s', (env, npmDefault, expected) => {
    expect(discoverNpmRegistries({ env, npmDefault: () => npmDefault })).toEqual(expected);
  });

  it('names the setting if no registry is configured', () => {
    expect(() => discoverNpmRegistries({ env: {}, npmDefault: () => undefined })).toThrow(
      expect.objectContaining({
        hint: 'set "mirrors: { npm: [URL] }" in .ccp.yaml, or NPM_CONFIG_REGISTRY',
      }),
    );
  });
});

describe('openMirrors', () => {
  const host = {
    debian: () => ({ debian: ['http://h.test/debian'], 'debian-security': [] }),
    python: () => [{ url: 'https://h.test/simple/', from: 'PIP_INDEX_URL' }],
    go: () => ['https://h.test/go'],
    npm: () => ['https://h.test/npm'],
  };

  it('lets each setting override the host separately', () => {
    const mirrors = openMirrors(
      { debianSecurity: ['http://s.test/sec//'], python: ['https://s.test/simple'] },
      host,
    );
    expect(mirrors.debian()).toEqual({
      debian: ['http://h.test/debian'],
      'debian-security': ['http://s.test/sec'],
    });
    expect(mirrors.python()).toEqual([{ url: 'https://s.test/simple/', from: '.ccp.yaml' }]);
    expect([mirrors.go(), openMirrors({ go: ['https://s.test/go/'] }, host).go()]).toEqual([
      ['https://h.test/go'],
      ['https://s.test/go'],
    ]);
    expect([mirrors.npm(), openMirrors({ npm: ['https://s.test/npm/'] }, host).npm()]).toEqual([
      ['https://h.test/npm'],
      ['https://s.test/npm'],
    ]);
  });

  it('names the setting if the host has no such archive, and looks it up only when needed', () => {
    expect(() => openMirrors({}, host).debian()).toThrow(
      expect.objectContaining({
        message:
          "no mirror of Debian's security archive is configured: the host's apt sources list none over HTTP",
        hint: 'set "mirrors: { debianSecurity: [URL] }" in .ccp.yaml to the archive\'s root',
      }),
    );
    const failing = (): never => expect.fail('asked the host');
    expect(
      openMirrors(
        { python: ['https://s.test/'] },
        { debian: failing, python: failing, go: failing, npm: failing },
      ).python(),
    ).toHaveLength(1);
  });
});

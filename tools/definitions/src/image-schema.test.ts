import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseYaml, type JsonSchema } from './index.ts';
import { loadSchema, resolveSchema } from './json-schema.ts';
import { errorsOf } from './testing.ts';

const SCHEMAS = join(import.meta.dirname, '../schemas');
const IMAGES = join(import.meta.dirname, '../../../images');
const image = loadSchema(join(SCHEMAS, 'image.schema.json'));
const series = loadSchema(join(SCHEMAS, 'series.schema.json'));

const CHECKED =
  '$ref type enum const anyOf properties required additionalProperties propertyNames minProperties items minItems maxItems ' +
  'uniqueItems pattern minLength maxLength minimum maximum';
const FOR_READERS = '$schema title description default examples $defs patternErrorMessage';
const KEYWORDS = new Set(`${CHECKED} ${FOR_READERS}`.split(' '));

/** Every schema in `schema` with the path that leads to it. */
function* parts(schema: JsonSchema, path: string): Iterable<{ readonly path: string; readonly schema: JsonSchema }> {
  yield { path, schema };
  for (const keyword of ['properties', '$defs'] as const) {
    for (const [key, part] of Object.entries(schema[keyword] ?? {})) yield* parts(part, `${path}/${key}`);
  }
  for (const part of schema.anyOf ?? []) yield* parts(part, `${path}/anyOf`);
  for (const keyword of ['items', 'propertyNames', 'additionalProperties'] as const) {
    const part = schema[keyword];
    if (typeof part === 'object') yield* parts(part, `${path}/${keyword}`);
  }
}

describe.each(readdirSync(SCHEMAS))('%s', (file) => {
  const schema = loadSchema(join(SCHEMAS, file));
  const all = [...parts(schema, '')];

  it('uses only keywords that the checker knows', () => {
    expect(
      all.flatMap((part) =>
        Object.keys(part.schema)
          .filter((key) => !KEYWORDS.has(key))
          .map((key) => `${part.path} ${key}`),
      ),
    ).toEqual([]);
  });

  it('describes every field', () => {
    const fields = all.flatMap(({ path, schema: part }) => Object.entries(part.properties ?? {}).map(([key, field]) => ({ path: `${path}/${key}`, field })));
    expect(fields.length).toBeGreaterThan(4);
    expect(fields.filter(({ field }) => (field.description ?? resolveSchema(field, schema).description) === undefined)).toEqual([]);
  });
});

describe('image.schema.json and series.schema.json', () => {
  const texts = [image, series].flatMap((root) => [...parts(root, '')]).filter(({ schema }) => schema.type === 'string');

  it('let no text carry a line break or a control character', () => {
    expect(texts.length).toBeGreaterThan(20);
    for (const { path, schema } of texts) {
      for (const value of ['', 'a\nRUN id', 'a\rb', 'a\u0000b', 'a\u001b[0m', 'a\u2028b', 'a\u202eb', 'x1\n', '\n', '/a\n', '90MB\n', '2026.1\n']) {
        const allowed = schema.enum === undefined ? new RegExp(schema.pattern!, 'u').test(value) : schema.enum.includes(value);
        expect(`${path} ${JSON.stringify(value)} ${allowed}`).toBe(`${path} ${JSON.stringify(value)} false`);
      }
    }
  });

  it('accept in editors what the checker accepts', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, keywords: ['patternErrorMessage'] });
    const [checkImage, checkSeries] = [ajv.compile(image), ajv.compile(series)];
    const names = readdirSync(IMAGES).filter((name) => /^[a-z]/.test(name) && !name.includes('.'));
    expect(names).toContain('keystone');
    for (const name of names) {
      const text = readFileSync(join(IMAGES, name, 'image.yaml'), 'utf8');
      expect(parseYaml(text, name, image).value).toEqual(parse(text));
      expect(checkImage(parse(text)), JSON.stringify(checkImage.errors)).toBe(true);
    }
    expect(checkSeries(parse(readFileSync(join(IMAGES, 'series.yaml'), 'utf8')))).toBe(true);
  });
});

describe('a definition cannot add to a Dockerfile or to a command line', () => {
  it.each([
    [{ title: 'x\nRUN id' }, 'title must be one line without " \\ ` $ or control characters, not "x\\nRUN id"'],
    [{ title: 'x" org.evil="1' }, 'title must be one line without " \\ ` $ or control characters, not "x\\" org.evil=\\"1"'],
    [{ description: 'ends in \\' }, 'description must be one line without " \\ ` $ or control characters, not "ends in \\\\"'],
    [
      { labels: { 'org.example.team': 'x\nUSER root' } },
      'labels.org.example.team must be one line without " \\ ` $ or control characters, not "x\\nUSER root"',
    ],
    [{ labels: { 'a b': 'x' } }, 'the key "a b" in labels must be a label such as org.example.team, and none that is set for every image'],
    [
      { labels: { 'org.opencontainers.image.version': 'x' } },
      'the key "org.opencontainers.image.version" in labels must be a label such as org.example.team, and none that is set for every image',
    ],
    [{ args: { A: '$(id)' } }, 'args.A must be one line without " \\ ` $ or control characters, not "$(id)"'],
    [
      { args: { CCP_PARENT_BASE: 'scratch' } },
      'the key "CCP_PARENT_BASE" in args must be upper-case letters, digits and underscores, not starting with CCP_ or BUILDKIT_, no proxy',
    ],
    [{ parents: { 'base\nRUN id': 'x' } }, 'the key "base\\nRUN id" in parents must be lower-case letters, digits and underscores, a letter first'],
    [{ parents: { base: 'evil/x@sha256:0' } }, 'parents.base must be an image name: lower-case letters, digits and single dashes, not "evil/x@sha256:0"'],
    [{ debian: { runtime: { packages: ['a; id'] } } }, 'debian.runtime.packages[0] must be the name of a Debian package, not "a; id"'],
    [{ debian: { runtime: { packages: ['--option'] } } }, 'debian.runtime.packages[0] must be the name of a Debian package, not "--option"'],
    [{ debian: { runtime: { packages: ['dpkg-'] } } }, 'debian.runtime.packages[0] must be the name of a Debian package, not "dpkg-"'],
    [
      { debian: { runtime: { packages: [{ value: './x.deb', series: ['master'] }] } } },
      'debian.runtime.packages[0].value must be the name of a Debian package, not "./x.deb"',
    ],
    [
      { python: { packages: ['x @ https://evil.example/x'] } },
      'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "x @ https://evil.example/x"',
    ],
    [{ python: { packages: ['-r x'] } }, 'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "-r x"'],
    [{ python: { packages: ['x --hash=1'] } }, 'python.packages[0] must be a Python requirement such as oslo.config>=10 (PEP 508, no URL), not "x --hash=1"'],
    [
      { go: { modules: ['x.test/a@main; id'] } },
      'go.modules[0] must be a Go module with a version, as github.com/prometheus/node_exporter@v1.12.1, not "x.test/a@main; id"',
    ],
    [
      { go: { modules: ['x.test/../a@v1.0.0'] } },
      'go.modules[0] must be a Go module with a version, as github.com/prometheus/node_exporter@v1.12.1, not "x.test/../a@v1.0.0"',
    ],
    [{ go: { programs: { a: './../b' } } }, 'go.programs.a must be an import path, or ./NAME, not "./../b"'],
    [
      { user: { name: 'x y', uid: 2000, gid: 2000, home: '/x' } },
      'user.name must be a user name: lower-case letters, digits, dashes and underscores; not root, not "x y"',
    ],
    [
      { user: { name: 'root', uid: 2000, gid: 2000, home: '/x' } },
      'user.name must be a user name: lower-case letters, digits, dashes and underscores; not root, not "root"',
    ],
    [{ user: { name: 'x', uid: 2000, gid: 2000, home: '/x && id' } }, 'user.home must be an absolute path without . or .., not "/x && id"'],
    [{ user: { name: 'x', uid: 2000, gid: 2000, home: '/x/../etc' } }, 'user.home must be an absolute path without . or .., not "/x/../etc"'],
    [{ tests: { setuid: ['usr/bin/su'] } }, 'tests.setuid[0] must be an absolute path without . or .., not "usr/bin/su"'],
    [{ tests: { allow: ['/usr/*/x'] } }, 'tests.allow[0] must be an absolute path without . or .., a * only at its end, not "/usr/*/x"'],
  ])('refuses %j', (fields, error) => {
    const text = JSON.stringify({ title: 'X', description: 'X', ...fields });
    expect(errorsOf(() => parseYaml(text, 'x', image))).toMatch(/^x:1:\d+: /);
    expect(errorsOf(() => parseYaml(text, 'x', image)).replace(/^x:1:\d+: /, '')).toBe(error);
  });
});

describe('sources', () => {
  const source = image.$defs!;
  const allows = (schema: JsonSchema, value: string) => errorsOf(() => parseYaml(JSON.stringify(value), 'x', schema)) === 'nothing raised';

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

  it.each(['29.0.2', 'stable/2026.1', 'master', 'refs/tags/v1', 'a@b', 'x.locked', 'a-b_c'])('take the ref %s', (ref) => {
    expect(allows(source['ref']!, ref)).toBe(true);
  });

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
    expect(errorsOf(() => parseYaml(JSON.stringify(requirement), 'x', image.$defs!['requirement']!))).toBe('nothing raised');
  });
});

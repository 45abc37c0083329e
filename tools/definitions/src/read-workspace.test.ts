import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { imageName, sha256 } from '#core';
import type { Memo } from '#ports';
import { memoryMemo } from '#ports/testing';
import { forSeries, readWorkspace, seriesOf } from './index.ts';
import { errorsOf } from './testing.ts';
import { SERIES_YAML, writtenRoots, writeWorkspace } from './testing/written-workspace.ts';

const BASE = 'title: Base\ndescription: A base.\nroot: others name their user\n';

afterEach(() => {
  for (const root of writtenRoots.splice(0)) rmSync(root, { recursive: true });
});

function errorsIn(files: Readonly<Record<string, string | Uint8Array>>): string {
  return errorsOf(() => readWorkspace(writeWorkspace(files), memoryMemo()));
}

describe('readWorkspace', () => {
  it('reads images sorted by name and applies defaults', () => {
    const root = writeWorkspace({
      'README.md': '',
      'keystone/image.yaml': `title: Identity
description: Tokens.
parents: { base: base }
sources:
  keystone: { repository: "https://opendev.org/openstack/keystone", refs: { "2026.1": 29.0.2, master: master } }
debian:
  runtime: { on: base, packages: [libsasl2-2, { value: libldap2, series: [master] }] }
python: { project: keystone, extras: [ldap] }
user: { name: keystone, uid: 42425, gid: 42425, home: /var/lib/keystone }
budget: 1.5GB
tests: { commands: [{ name: version, run: [keystone-manage, --version] }] }
`,
      'base/image.yaml': BASE,
    });
    const workspace = readWorkspace(root, memoryMemo());
    expect(workspace.images.map((image) => image.name)).toEqual(['base', 'keystone']);
    expect(seriesOf(workspace, '2026.1')).toEqual({
      name: '2026.1',
      codename: 'gazpacho',
      suite: 'trixie',
      python: '3.13',
      constraints: join(root, 'images/_shared/2026.1.txt'),
      overrides: [],
      positions: {
        suite: { file: 'images/series.yaml', line: 2, column: 42 },
        python: { file: 'images/series.yaml', line: 2, column: 58 },
      },
    });
    const keystone = workspace.images[1]!;
    expect(keystone).toEqual({
      name: 'keystone',
      folder: join(root, 'images/keystone'),
      title: 'Identity',
      description: 'Tokens.',
      parents: { base: imageName('base') },
      sources: {
        keystone: {
          repository: 'https://opendev.org/openstack/keystone',
          refs: { '2026.1': '29.0.2', master: 'master' },
          submodules: [],
        },
      },
      debian: {
        runtime: {
          on: 'base',
          packages: [
            {
              value: 'libsasl2-2',
              at: { file: 'images/keystone/image.yaml', line: 7, column: 35 },
            },
            {
              value: 'libldap2',
              series: ['master'],
              at: { file: 'images/keystone/image.yaml', line: 7, column: 47 },
            },
          ],
        },
      },
      python: { project: 'keystone', extras: ['ldap'], packages: [], tools: [], provided: [] },
      user: { name: 'keystone', uid: 42425, gid: 42425, home: '/var/lib/keystone' },
      labels: {},
      args: {},
      platforms: ['linux/amd64'],
      sizeBudget: 1_500_000_000,
      shipped: true,
      unlocked: false,
      tests: {
        commands: [{ name: 'version', run: ['keystone-manage', '--version'], exitCode: 0 }],
        imports: [],
        importExceptions: {},
        setuid: [],
        allow: [],
      },
      positions: {
        definition: { file: 'images/keystone/image.yaml', line: 1, column: 1 },
        parents: { base: { file: 'images/keystone/image.yaml', line: 3, column: 18 } },
        refs: {
          keystone: {
            '2026.1': { file: 'images/keystone/image.yaml', line: 5, column: 87 },
            master: { file: 'images/keystone/image.yaml', line: 5, column: 103 },
          },
        },
      },
    });
    expect(forSeries(keystone.debian['runtime']!.packages, seriesOf(workspace, '2026.1'))).toEqual([
      'libsasl2-2',
    ]);
    expect(forSeries(keystone.debian['runtime']!.packages, seriesOf(workspace, 'master'))).toEqual([
      'libsasl2-2',
      'libldap2',
    ]);
  });

  it('reads only changed files again', () => {
    const root = writeWorkspace({ 'base/image.yaml': BASE });
    const memo = memoryMemo();
    let computed = 0;
    const counting: Memo = {
      ...memo,
      recall: (key, compute) => memo.recall(key, () => (computed++, compute())),
    };
    readWorkspace(root, counting);
    readWorkspace(root, counting);
    expect(computed).toBe(3);
    writeFileSync(join(root, 'images/base/image.yaml'), BASE.replace('A base.', 'Changed.'));
    expect(readWorkspace(root, counting).images[0]!.description).toBe('Changed.');
    expect(computed).toBe(4);
  });

  it.each<[string, string]>([
    [
      'user: { name: x, uid: 2000, gid: 2000, home: /x }\nroot: y',
      ':2:7: root is set, but the image runs as user x [keep either "root" or "user"]',
    ],
    [
      '',
      ':1:1: a shipped image needs a user [add user, or give the reason to run as root in root]',
    ],
    [
      'root: y\nnetwork: host',
      ':2:10: network is "host", but the steps of this image have no network [remove network, or add unlocked: true]',
    ],
    [
      'root: y\nparents: { base: b }\ndebian: { runtime: { packages: [x1] } }',
      ':3:11: debian.runtime.on is missing: it names the parent that the stage is based on [add on: base]',
    ],
    [
      'root: y\nparents: { base: b }\ndebian: { runtime: { on: bsae, packages: [x1] } }',
      ':3:26: debian.runtime.on is "bsae", which is not a role in parents [did you mean "base"?]',
    ],
    [
      'root: y\ndebian: { runtime: { on: base, packages: [x1] } }',
      ':2:26: debian.runtime.on is "base", which is not a role in parents [the image has no parents]',
    ],
    [
      'root: y\npython: { project: keystone }',
      ':2:20: python.project is "keystone", which is not a key in sources [add it to sources]',
    ],
    [
      'root: y\npython: { extras: [ldap] }',
      ':2:11: python.extras requires python.project [add project, or write the extras in packages]',
    ],
    [
      'root: y\ngo: { modules: [x.test/a@v1.0.0] }',
      ':2:7: go.modules requires a parent with the role builder [add builder to parents; it provides the Go toolchain]',
    ],
    [
      'root: y\ngo: { programs: { a: x.test/a/cmd } }',
      ':2:22: go.programs.a does not belong to a module in go.modules [add the module of its package, with a version]',
    ],
    [
      'root: y\nparents: { builder: b }\ngo: { modules: [x.test/a@v1.0.0, x.test/a@v1.1.0] }',
      ':3:34: go.modules lists x.test/a twice [keep one version]',
    ],
    [
      'root: y\ngo: { packages: [x.test/a] }',
      ':2:7: go.packages requires a program with its source in files/go [add the program to go.programs as ./NAME]',
    ],
    [
      'root: y\nuser: { name: x, uid: 1, gid: 2000, home: /x }',
      ':2:23: user.uid must be 1000 to 59999, not 1',
    ],
    [
      'root: y\nseries: [2026.1]',
      ':2:10: series[0] must be text, not the number 2026.1 [put it in quotes: "2026.1"]',
    ],
    [
      'root: y\nbudget: 95',
      ':2:9: budget must be text, not the number 95 [write a size such as 90MB or 1.5GB]',
    ],
    [
      'root: y\nseries: [mastr]',
      ':2:10: the series "mastr" is not in images/series.yaml [did you mean "master"?]',
    ],
    [
      'root: y\npython: { packages: [{ value: a, series: ["2024.1"] }] }',
      ':2:43: the series "2024.1" is not in images/series.yaml [did you mean "2026.1"?]',
    ],
    [
      'root: y\nsources: { a: { repository: "https://a.example/a", refs: { zed: b } } }',
      ':2:65: the series "zed" is not in images/series.yaml [known: 2026.1, master]',
    ],
    ['root: y\nplatform: [x]', ':2:1: unknown key "platform" [did you mean "platforms"?]'],
  ])('refuses %j', (text, error) => {
    expect(
      errorsIn({ 'x/image.yaml': `${text}${text === '' ? '' : '\n'}title: X\ndescription: X.\n` }),
    ).toBe(`images/x/image.yaml${error}`);
  });

  it('reports all findings together', () => {
    const user = (name: string, uid: number) =>
      `title: X\ndescription: X.\nuser: { name: ${name}, uid: ${uid}, gid: 2000, home: /x }\n`;
    const errors = errorsIn({
      'series.yaml': SERIES_YAML.replace('_shared/2026.1', '_shared/2026.2').replace(
        'suite: trixie',
        'suit: trixie',
      ),
      'Nova_api/image.yaml': BASE,
      'new\nline/image.yaml': BASE,
      'a/image.yaml': user('one', 2000),
      'b/image.yaml': user('two', 2000),
      'c/image.yaml': user('one', 2001),
      'd/image.yaml': user('one', 2000),
      'e/Dockerfile.njk': '',
      'f/image.yaml': Uint8Array.of(0x74, 0xff),
      'g/image.yaml': 'title: "X',
    });
    expect(errors).toBe(`images/series.yaml:2:3: the key "suite" is missing in series.2026.1
images/series.yaml:2:35: unknown key "suit" in series.2026.1 [did you mean "suite"?]
images/Nova_api: "Nova_api" is not an image name [use lower-case letters, digits and single dashes, at most 63 characters; the name of a folder with shared files starts with _]
images/new\\nline: "new\\nline" is not an image name [use lower-case letters, digits and single dashes, at most 63 characters; the name of a folder with shared files starts with _]
images/e/image.yaml is missing [create the file, or start the name of the folder with _ if it contains shared files]
images/f/image.yaml:1:2: the file is not UTF-8 [save it as UTF-8]
images/g/image.yaml:1:10: Missing closing "quote
images/b/image.yaml:3:25: the uid 2000 of user two already belongs to user one (images/a/image.yaml:3:25) [use one uid for each user name in all images]
images/c/image.yaml:3:25: the user one has uid 2001 here and 2000 elsewhere (images/a/image.yaml:3:25) [use one uid for each user name in all images]`);
  });

  it('refuses links and folders instead of files, and missing constraints', () => {
    const root = writeWorkspace({ 'base/image.yaml': BASE, 'linked/files/a': '' });
    symlinkSync('../base/image.yaml', join(root, 'images/linked/image.yaml'));
    symlinkSync('base', join(root, 'images/other'));
    mkdirSync(join(root, 'images/folder/image.yaml'), { recursive: true });
    unlinkSync(join(root, 'images/_shared/2026.1.txt'));
    expect(errorsOf(() => readWorkspace(root, memoryMemo())))
      .toBe(`images/series.yaml:2:79: the constraints file images/_shared/2026.1.txt of series 2026.1 is missing [create the file, or set constraintsFrom to fetch it from git]
images/other is not a folder [use a folder, not a link]
images/folder/image.yaml is not a regular file [replace it with a regular file]
images/linked/image.yaml is a symbolic link [replace it with a regular file]`);
  });

  it('notices a file that changes or vanishes while it is read', () => {
    const root = writeWorkspace({ 'a/image.yaml': BASE, 'b/image.yaml': BASE });
    const memo = memoryMemo();
    const fileSha256: Memo['fileSha256'] = (path) => {
      if (path.endsWith('images/a/image.yaml')) return sha256('what it was before');
      if (path.endsWith('images/b/image.yaml')) unlinkSync(path);
      return memo.fileSha256(path);
    };
    expect(errorsOf(() => readWorkspace(root, { ...memo, fileSha256 })))
      .toBe(`images/a/image.yaml changed while it was read [wait until nothing writes to it, then run the command again]
images/b/image.yaml vanished while it was read [wait until nothing writes to it, then run the command again]`);
  });

  it('names the folder without images', () => {
    const root = mkdtempSync(join(tmpdir(), 'ccp-definitions-'));
    writtenRoots.push(root);
    expect(errorsOf(() => readWorkspace(root, memoryMemo()))).toBe(
      `${root} has no readable folder "images" [run the command inside a repository of image definitions]`,
    );
  });
});

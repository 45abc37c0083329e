import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ImageInputs } from '#context';
import { sha256 } from '#core';
import { fingerprintOf, inputRecord, type ImageRecord } from '#plan';
import { openProject, stateOf } from '../../tools/cli/src/compose/plan.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

/** The real images and their locks, and the files of the repository that they contain. */
let workspace: TestWorkspace;
let before: ReadonlyMap<string, ImageRecord>;
const other = mkdtempSync(join(tmpdir(), 'ccp-other-'));

beforeAll(() => {
  workspace = testWorkspace();
  const { graph } = openProject(REPOSITORY, '2026.1');
  const trees = [...graph.images.values()].flatMap(({ tree = [] }) => tree);
  workspace.take('images', 'package-lock.json', ...trees);
  workspace.write('.gitignore', '.ccp\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  before = records();
  expect([...before.keys()].sort()).toEqual([...graph.order].sort());
});
afterAll(() => {
  workspace.remove();
  rmSync(other, { recursive: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  git('checkout', '--quiet', '--force', 'main');
  git('clean', '--quiet', '-d', '--force');
});

function git(...args: readonly string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'safe.directory=*'];
  execFileSync('git', [...identity, ...args], { cwd: workspace.root });
}

function records(root = workspace.root, series = '2026.1'): ReadonlyMap<string, ImageRecord> {
  const { images, unknown } = stateOf(openProject(root, series));
  expect([...unknown]).toEqual([]);
  return new Map([...images].map(([image, { record }]) => [image, record]));
}

const path = (name: string): string => join(workspace.root, name);

function edit(name: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path(name), 'utf8');
  expect(text, name).toMatch(from);
  writeFileSync(path(name), text.replace(from, to));
}

/** Changes a lock as `ccp lock` would, with a valid checksum. */
function editLock(image: string, from: RegExp, to: string): void {
  const name = `images/${image}/lock/2026.1.yaml`;
  edit(name, from, to);
  const text = readFileSync(path(name), 'utf8');
  const line = /^checksum: .*\n/m;
  const sum = sha256(text.replace(line, ''));
  writeFileSync(path(name), text.replace(line, `checksum: "${sum}"\n`));
}

interface Mutation {
  readonly what: string;
  readonly image: string;
  readonly change: () => void;
}

/** Another SHA-256 in the first line of a lock's list that matches `line`. */
const hashIn = (what: string, image: string, line: RegExp): Mutation => ({
  what,
  image,
  change: () => editLock(image, new RegExp(`(${line.source}.*sha256: ")[0-9a-f]{8}`), '$100000000'),
});
const inFile = (what: string, name: string, from: RegExp, to: string): Mutation => ({
  what,
  image: name.split('/')[1]!,
  change: () => edit(name, from, to),
});
const onDisk = (what: string, image: string, change: () => void): Mutation => ({
  what,
  image,
  change,
});
const FILES = 'images/entrypoint/files/usr/local/bin';

/** Inputs of a workspace by their place in the record: each must change it, there alone. */
const WORKSPACE_INPUTS: Readonly<Partial<Record<keyof ImageRecord, readonly Mutation[]>>> = {
  dockerfile: [
    inFile('a line', 'images/memcached/Dockerfile.njk', /EXPOSE 11211/, 'EXPOSE 11212'),
    inFile('a comment', 'images/memcached/Dockerfile.njk', /EXPOSE/, '# a comment\nEXPOSE'),
    inFile('a value of the definition', 'images/memcached/image.yaml', /42457, gid/, '42458, gid'),
    onDisk('a shared macro', 'memcached', () =>
      edit('images/_shared/macros.njk', /(macro run_as\(.*\n)/, '$1# a comment\n'),
    ),
  ],
  files: [
    onDisk('content', 'entrypoint', () => edit(`${FILES}/ccp`, /^/, '#')),
    onDisk('the executable bit', 'entrypoint', () => chmodSync(path(`${FILES}/ccp`), 0o644)),
    onDisk('a path', 'entrypoint', () => renameSync(path(`${FILES}/ccp`), path(`${FILES}/ccq`))),
    onDisk('a new file', 'entrypoint', () => workspace.write(`${FILES}/new`, '')),
    onDisk('a deleted file', 'entrypoint', () => rmSync(path(`${FILES}/ccp`))),
    onDisk('a link', 'entrypoint', () => symlinkSync('ccp', path(`${FILES}/link`))),
    onDisk('a link instead of a file', 'entrypoint', () => {
      rmSync(path(`${FILES}/ccp`));
      symlinkSync('entrypoint', path(`${FILES}/ccp`));
    }),
  ],
  tree: [
    onDisk('a file of the repository', 'entrypoint', () => edit('package.json', /^\{/, '{ ')),
    onDisk('a new file in a folder', 'entrypoint', () =>
      workspace.write('tools/core/src/new.ts', '\n'),
    ),
  ],
  debian: [
    hashIn('a package of the runtime stage', 'memcached', /name: memcached,/),
    hashIn('a package of the build stage', 'keystone', /build:\n    - \{ name: libldap-dev,/),
    onDisk('a version', 'memcached', () =>
      editLock('memcached', /(name: memcached, version: "[^"]*)"/, '$1.1"'),
    ),
  ],
  python: [
    hashIn('a file of the runtime', 'keystone', /name: ldappool,/),
    hashIn('a file of the build', 'keystone', /name: pbr,/),
  ],
  go: [hashIn('a module', 'alertmanager', /alertmanager, version: "[^"]*", kind: zip/)],
  npm: [hashIn('a package', 'entrypoint', /name: yaml,/)],
  sources: [
    hashIn('an archive', 'keystone', /archive: \{ name: keystone,/),
    onDisk('the origin of the run', 'keystone', () =>
      workspace.write('.ccp.yaml', 'origin: git\n'),
    ),
  ],
  patches: [
    onDisk('a patch', 'neutron', () =>
      edit('images/neutron/patches/stop-on-sigterm.patch', /^/, 'A comment.\n'),
    ),
  ],
  args: [inFile('a new one', 'images/memcached/image.yaml', /^user:/m, 'args: { A: "1" }\nuser:')],
  labels: [
    inFile('a new one', 'images/memcached/image.yaml', /^user:/m, 'labels: { a.b: "1" }\nuser:'),
    inFile('the title', 'images/memcached/image.yaml', /^title: /m, 'title: A '),
  ],
};

/** Inputs that a workspace cannot change alone. */
const RECORD_INPUTS: Readonly<Partial<Record<keyof ImageRecord, readonly unknown[]>>> = {
  image: ['other'],
  series: ['2025.2'],
  platform: ['linux/arm64'],
  unlocked: [true],
  network: ['host'],
  semantics: [inputRecord({} as ImageInputs, {}).semantics + 1],
  schema: [2],
  parents: [{}, { base: 'f'.repeat(64) }, { other: 'f'.repeat(64) }],
};

/** Fails to compile if an input is missing above. */
const ALL = {
  image: 0, series: 0, platform: 0, dockerfile: 0, files: 0, tree: 0, debian: 0, python: 0, go: 0, npm: 0, sources: 0, patches: 0, args: 0, labels: 0, unlocked: 0, network: 0, schema: 0, semantics: 0, parents: 0,
} satisfies Record<keyof Required<ImageRecord>, 0>; // prettier-ignore

it('has a mutation for every input of the record', () => {
  const tested = [...Object.keys(WORKSPACE_INPUTS), ...Object.keys(RECORD_INPUTS)];
  expect(tested.sort()).toEqual(Object.keys(ALL).sort());
  const inUse = new Set([...before.values()].flatMap((record) => Object.keys(record)));
  expect(Object.keys(WORKSPACE_INPUTS).filter((input) => !inUse.has(input))).toEqual([]);
});

const at = (found: ReadonlyMap<string, ImageRecord>, image: string, key: string): unknown =>
  found.get(image)![key as keyof ImageRecord];
const rows = Object.entries(WORKSPACE_INPUTS).flatMap(([input, mutations]) =>
  mutations.map(({ what, image, change }) => [input, what, image, change] as const),
);

describe('the fingerprint changes with', () => {
  it.each(rows)('%s: %s of %s', (input, _, image, change) => {
    change();
    const after = records();
    const changed = (name: string): readonly string[] =>
      Object.keys(ALL).filter(
        (key) => !isDeepStrictEqual(at(before, name, key), at(after, name, key)),
      );
    expect(changed(image)).toEqual([input]);
    expect(fingerprintOf(after.get(image)!)).not.toBe(fingerprintOf(before.get(image)!));
    // A shared input and a changed parent change other images, in the same place.
    const others = [...after.keys()].flatMap(changed);
    expect(new Set(others)).toEqual(
      new Set(others.includes('parents') ? [input, 'parents'] : [input]),
    );
  });

  it.each(Object.entries(RECORD_INPUTS))('%s', (input, values) => {
    const record = before.get('keystone')!;
    const made = values.map((value) => fingerprintOf({ ...record, [input]: value }));
    expect(new Set([...made, fingerprintOf(record)]).size).toBe(values.length + 1);
  });
});

/** All files and folders of a workspace, sorted, without settings and state. */
const all = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.(?:git|ccp)(?:\/|$)/.test(name))
    .sort();

/** What a fingerprint must not depend on; some rows resolve with the root of another workspace. */
const EXCLUDED: Readonly<Record<string, () => string | void>> = {
  'times of files': () => {
    for (const name of all(workspace.root)) utimesSync(path(name), 1, 1);
  },
  'owners of files': () => {
    if (process.getuid?.() === 0)
      for (const name of all(workspace.root)) chownSync(path(name), 1234, 1234);
  },
  'permissions other than the executable bit': () => {
    for (const name of all(workspace.root)) {
      const { mode } = statSync(path(name));
      chmodSync(path(name), (mode & 0o100) === 0 ? 0o600 : 0o700);
    }
  },
  'the folder of the workspace, the umask and the order of files': () => {
    const copy = join(other, 'a folder');
    const names = ['.ccp.yaml', ...all(workspace.root)].toReversed();
    const script =
      'umask 077; mkdir "$2"; tar -c -C "$1" --no-recursion -T - | tar -x --no-same-permissions -C "$2"';
    execFileSync('sh', ['-c', script, 'sh', workspace.root, copy], { input: names.join('\n') });
    return copy;
  },
  'the environment: locale, zone, user, proxies, npm': () => {
    const values = { LC_ALL: 'tr_TR.UTF-8', LANG: 'C', TZ: 'Asia/Kathmandu', USER: 'other', HOME: other, XDG_CONFIG_HOME: other, CCP_CACHE: join(other, 'cache'), HTTPS_PROXY: 'http://127.0.0.1:9', npm_config_user_agent: 'npm/1.0.0', SOURCE_DATE_EPOCH: '1' }; // prettier-ignore
    for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value);
  },
  'the date': () => void vi.useFakeTimers({ toFake: ['Date'], now: new Date('2040-02-29') }),
  'the branch, the commit and changes of git': () => {
    git('checkout', '--quiet', '-b', 'other');
    workspace.write('docs/a.md', 'a\n');
    git('add', '--all');
    git('commit', '--quiet', '--message', 'other');
  },
  'the state folder with its memo': () => rmSync(path('.ccp'), { recursive: true, force: true }),
  'mirrors, engines, jobs and trusted keys': () => {
    const settings =
      'origin: archive\njobs: 3\nengines: [tcp://127.0.0.1:1]\nmirrors: { debian: ["https://m.test/"] }\n';
    workspace.write('.ccp.yaml', settings);
  },
  'app specs, tests, budgets and other files of an image': () => {
    workspace.write('images/memcached/README.md', 'a\n');
    rmSync(path('images/memcached/app.yaml'));
    edit('images/memcached/image.yaml', /^budget: 95MB$/m, 'budget: 96MB');
    edit('images/memcached/image.yaml', /run: \[memcached, -V\]/, 'run: [memcached, --version]');
    edit('images/memcached/image.yaml', /^# .*\n/, '');
  },
  'measured durations and locks of another series': () => {
    workspace.write('images/durations.json', '{}\n');
    rmSync(path('images/memcached/lock/2025.2.yaml'));
  },
};

describe('the fingerprint does not change with', () => {
  it.each(Object.entries(EXCLUDED))('%s', (_, change) => {
    const root = change() ?? workspace.root;
    expect(records(root)).toEqual(before);
  });
});

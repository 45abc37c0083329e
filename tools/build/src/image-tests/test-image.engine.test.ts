import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageName, platform } from '#core';
import { connectEngine } from '#engines';
import type { LayerListing } from '#ports';
import { hostShell, tarOf, type TarFile } from '#ports/testing';
import { testImage } from './test-image.ts';
import { listingOf } from './testing/listing-of.ts';
import type { ImageExpectations, TestSubject } from './types.ts';

const TOOLS = ['/usr/bin/timeout', '/usr/bin/tail'];
const EXPECTED: ImageExpectations = {
  image: imageName('hello'),
  commands: [
    {
      name: 'a word',
      run: ['/bin/sh', '-c', "(: > /x) || echo it\\'s 1.2.3"],
      stdout: "it's",
      version: 'hello',
      exitCode: 0,
    },
  ],
  imports: [],
  importExceptions: {},
  setuid: [],
  allow: [],
  python: false,
  provided: [],
  inputs: [],
  shipped: true,
  user: { name: 'hello', uid: 4711, gid: 4711, home: '/nonexistent' },
  versions: { sources: {}, go: {}, python: {}, debian: { hello: '1:1.2.3+dfsg-4+deb13u1' } },
};
const CONFIG = { config: { User: '4711:4711' } };

let engine: Awaited<ReturnType<typeof connectEngine>>;
const references: string[] = [];

async function buildTestImage(
  files: Readonly<Record<string, TarFile>>,
  user: string,
): Promise<Pick<TestSubject, 'reference' | 'layers'>> {
  const reference = `ccp-test/image-tests:${randomUUID()}`;
  const root = {
    ...hostShell(TOOLS),
    'root/etc/passwd':
      'root:x:0:0::/root:/bin/sh\nhello:x:4711:4711::/nonexistent:/usr/sbin/nologin\n',
    ...files,
  };
  const tar = await tarOf({
    ...root,
    Dockerfile: `FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin:/bin\nUSER ${user}\n`,
  });
  const context = async function* () {
    yield tar;
  };
  await engine.build(
    {
      context,
      dockerfile: 'Dockerfile',
      buildArgs: {},
      platform: platform('linux/amd64'),
      network: 'none',
      reference,
      noCache: false,
    },
    () => undefined,
    new AbortController().signal,
  );
  references.push(reference);
  return { reference, layers: [listed(root)] };
}

/** The listing of a layer with these files below `root/`. */
function listed(root: Readonly<Record<string, TarFile>>): LayerListing {
  const bytesOf = (file: TarFile): Buffer =>
    Buffer.from(typeof file === 'object' && 'bytes' in file ? file.bytes : file);
  const members = Object.entries(root).map(([path, file]) => [
    path.replace(/^root\/|\/$/g, ''),
    {
      type: path.endsWith('/') ? 'd' : 'f',
      mode: typeof file === 'object' && 'mode' in file ? file.mode : 0o644,
      elf: bytesOf(file).subarray(0, 4).toString('latin1') === '\u007fELF',
    } as const,
  ]);
  return listingOf(
    Object.fromEntries(members),
    bytesOf(root['root/etc/passwd']!).toString().split('\n'),
  );
}

beforeAll(async () => {
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
});
afterAll(async () => {
  for (const reference of references) await engine.untag(reference);
  await engine.close();
});

/** A statically linked program, like Go's: an ELF header, a segment and a call of exit. */
function staticProgram(): Buffer {
  const bytes = Buffer.alloc(132);
  Buffer.from('7f454c46020101', 'hex').copy(bytes);
  for (const [at, value] of [
    [16, 2],
    [18, 62],
    [20, 1],
    [52, 64],
    [54, 56],
    [56, 1],
    [64, 1],
    [68, 5],
  ] as const)
    bytes.writeUInt16LE(value, at);
  for (const [at, value] of [
    [24, 0x400078n],
    [32, 64n],
    [80, 0x400000n],
    [88, 0x400000n],
    [96, 132n],
    [104, 132n],
    [112, 0x1000n],
  ] as const)
    bytes.writeBigUInt64LE(value, at);
  Buffer.from('b83c00000031ff0f05', 'hex').copy(bytes, 120);
  return bytes;
}

it('has no findings for a correct image', async () => {
  const built = await buildTestImage(
    { 'root/run/': '', 'root/opt/static': { bytes: staticProgram(), mode: 0o755 } },
    '4711:4711',
  );
  const leaving = {
    name: 'leaves a server',
    run: ['/bin/sh', '-c', 'sleep 1000 & echo ok'],
    stdout: 'ok',
    exitCode: 0,
  };
  const report = await testImage(
    { ...EXPECTED, commands: [leaving, ...EXPECTED.commands] },
    { ...built, runner: engine, config: CONFIG, size: 1 },
  );
  expect(report).toEqual({
    checks: [
      'user',
      'setuid',
      'compiler',
      'header',
      'package-cache',
      'mount-stub',
      'locked-input',
      'git',
      'source-tree',
      'libraries',
      'command',
    ],
    findings: [],
  });
});

it('starts no container for an image without commands that adds no ELF file', async () => {
  const below = await buildTestImage({}, '4711:4711');
  const subject = {
    ...below,
    layers: [...below.layers, listingOf({ 'opt/a.deb': {} })],
    reference: 'ccp-test/no-such-image',
    base: { layers: 1, allow: [] },
  };
  const { findings } = await testImage(
    { ...EXPECTED, commands: [] },
    { ...subject, runner: engine, config: CONFIG, size: 1 },
  );
  expect(findings.map(({ message }) => message)).toEqual([
    'the image contains installation files of packages: /opt/a.deb',
  ]);
});

it('finds each kind of fault', async () => {
  const sleep = readFileSync('/bin/sleep');
  const lost = Buffer.from(sleep.toString('latin1').replace('libc.so.6', 'libq.so.6'), 'latin1');
  const built = await buildTestImage(
    {
      'root/usr/bin/gcc-14': 'x',
      'root/usr/include/a.h': 'x',
      'root/var/lib/apt/lists/main': 'x',
      'root/run/inputs/': '',
      'root/opt/a.deb': 'x',
      'root/src/.git/HEAD': 'x',
      'root/src/setup.py': 'x',
      'root/usr/bin/su': { bytes: sleep, mode: 0o4755 },
      'root/opt/lost': { bytes: lost, mode: 0o600 },
      'root/etc/passwd': 'hello:x:1:1::/:/bin/sh\n',
    },
    '0',
  );
  const report = await testImage(
    {
      ...EXPECTED,
      sizeBudget: 1_000_000,
      versions: { ...EXPECTED.versions, debian: { hello: '2.0-1' } },
    },
    { ...built, runner: engine, config: { config: {} }, size: 2_500_000 },
  );
  expect(report.findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
    'user: the image runs as root instead of 4711:4711 (hello)',
    'user: /etc/passwd has hello as 1:1 with home / instead of 4711:4711 with home /nonexistent',
    'setuid: files are setuid or setgid and not listed under tests.setuid: /usr/bin/su',
    'compiler: the image contains compilers or linkers: /usr/bin/gcc-14',
    'header: the image contains C headers: /usr/include/a.h',
    'package-cache: the image contains files of package manager caches: /var/lib/apt/lists/main',
    "mount-stub: the image contains remains of a build step's mounts: /run/inputs",
    'locked-input: the image contains installation files of packages: /opt/a.deb',
    'git: the image contains version control repositories: /src/.git',
    'source-tree: the image contains source trees: /src/setup.py',
    'libraries: /opt/lost needs libq.so.6, missing in the image',
    "command: a word: `/bin/sh -c (: > /x) || echo it\\'s 1.2.3` does not print 2.0, the locked version of hello; its last output is:\n    /bin/sh: 1: cannot create /x: Read-only file system\n    it's 1.2.3",
    'size: the unpacked image has 2.5 MB, 1.5 MB more than its budget of 1.0 MB',
  ]);
});

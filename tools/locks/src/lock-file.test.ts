import { describe, expect, it } from 'vitest';
import { imageName, series, sha256, type Sha256 } from '#core';
import { parseLock, renderLock } from './lock-file.ts';
import type { Lock } from './types.ts';

const A = 'a'.repeat(64) as Sha256;
const SUM = `h1:${'s'.repeat(43)}=`;
const image = imageName('keystone');
const name = series('2026.1');

const lock: Lock = {
  format: 1,
  image,
  series: name,
  request: '1'.repeat(64) as Sha256,
  debian: {
    runtime: [
      {
        name: 'zlib1g',
        version: '1:1.3',
        architecture: 'amd64',
        sha256: A,
        size: 9,
        archive: 'debian',
        pool: 'pool/main/z/zlib/zlib1g_1.3_amd64.deb',
      },
      {
        name: 'on',
        version: '1',
        architecture: 'all',
        sha256: A,
        size: 8,
        archive: 'debian-security',
        pool: 'pool/updates/main/o/on/on_1~a_all.deb',
      },
    ],
    build: [],
  },
  python: {
    runtime: [
      {
        name: 'uwsgi',
        version: '2.0.31',
        kind: 'sdist',
        file: 'uwsgi-2.0.31.tar.gz',
        sha256: A,
        size: 7,
      },
    ],
    build: [],
  },
  go: {
    language: '1.26.2',
    requires: { 'x.test/A': 'v1.2.3' },
    files: [
      { name: 'x.test/A', version: 'v1.2.3', kind: 'zip', size: 5, sha256: A, sum: SUM },
      { name: 'x.test/A', version: 'v1.2.3', kind: 'mod', size: 4, sha256: A, sum: SUM },
    ],
  },
  sources: {
    keystone: {
      repository: 'https://git.example/keystone',
      ref: '29.0.2',
      commit: 'b'.repeat(40),
      version: '29.0.2',
      submodules: ['doc'],
      archive: { name: 'keystone', file: 'keystone-29.0.2.tar.gz', sha256: A, size: 6 },
    },
  },
};

const TEXT = `# Written by \`ccp lock\`; the checksum finds any edit by hand.
format: 1
image: keystone
series: "2026.1"
checksum: "CHECKSUM"
request: "${'1'.repeat(64)}"
debian:
  build: []
  runtime:
    - { name: "on", version: "1", architecture: all, archive: debian-security, pool: pool/updates/main/o/on/on_1~a_all.deb, size: 8, sha256: "${A}" }
    - { name: zlib1g, version: "1:1.3", architecture: amd64, archive: debian, pool: pool/main/z/zlib/zlib1g_1.3_amd64.deb, size: 9, sha256: "${A}" }
python:
  runtime:
    - { name: uwsgi, version: "2.0.31", kind: sdist, file: uwsgi-2.0.31.tar.gz, size: 7, sha256: "${A}" }
go:
  language: "1.26.2"
  requires:
    x.test/A: "v1.2.3"
  files:
    - { name: x.test/A, version: "v1.2.3", kind: mod, size: 4, sha256: "${A}", sum: "${SUM}" }
    - { name: x.test/A, version: "v1.2.3", kind: zip, size: 5, sha256: "${A}", sum: "${SUM}" }
sources:
  keystone:
    repository: "https://git.example/keystone"
    ref: "29.0.2"
    commit: "${'b'.repeat(40)}"
    version: "29.0.2"
    submodules: ["doc"]
    archive: { name: keystone, file: keystone-29.0.2.tar.gz, size: 6, sha256: "${A}" }
`;

/** The text with a matching checksum. */
function sealed(text: string): string {
  return text.replace('CHECKSUM', sha256(text.replace(/^checksum: .*\n/m, '')));
}

const read = (text: string): Lock =>
  parseLock(text, 'images/keystone/lock/2026.1.yaml', image, name);

describe('a lock file', () => {
  it('has one sorted line per package', () => {
    expect(renderLock(lock)).toBe(sealed(TEXT));
  });

  it('round-trips with equal bytes', () => {
    const again = read(renderLock(lock));
    expect(again.debian['runtime']).toEqual(lock.debian['runtime']!.toReversed());
    expect(again.go!.files).toEqual(lock.go!.files.toReversed());
    expect({ ...again, debian: {}, go: {} }).toEqual({ ...lock, debian: {}, go: {} });
    expect(renderLock(again)).toBe(renderLock(lock));
  });

  it.each([
    [
      'an edit',
      sealed(TEXT).replace('2.0.31', '2.0.32'),
      'the lock was edited: its checksum does not match its content',
    ],
    [
      'merge conflict markers',
      `<<<<<<< HEAD\n${sealed(TEXT)}`,
      'the lock contains merge conflict markers; lock again instead of merging it manually',
    ],
    [
      'Windows line endings',
      sealed(TEXT).replaceAll('\n', '\r\n'),
      'the lock has Windows line endings (CRLF); if git converted them, add `* -text` to .gitattributes and check out the file again',
    ],
    ['no checksum', TEXT.replace(/^checksum.*\n/m, ''), 'the lock has no checksum'],
    [
      'another image',
      sealed(TEXT.replace('image: keystone', 'image: glance')),
      'the lock is for glance 2026.1, not for keystone 2026.1',
    ],
    [
      'a package twice',
      sealed(TEXT.replace('name: "on"', 'name: zlib1g')),
      'the lock lists zlib1g twice',
    ],
    [
      'a wrong kind',
      sealed(TEXT.replace('kind: sdist', 'kind: wheel')),
      'the lock lists uwsgi-2.0.31.tar.gz as a wheel',
    ],
    [
      'a path outside the pool',
      sealed(TEXT.replace('pool/main/z', 'pool/../z')),
      'a path of a .deb file below pool/',
    ],
    [
      'another host',
      sealed(TEXT.replace('pool/main/z/zlib', 'http://host/zlib')),
      'a path of a .deb file below pool/',
    ],
    [
      'a folder in a file name',
      sealed(TEXT.replace('file: uwsgi', 'file: x/uwsgi')),
      'the file name of a wheel, .tar.gz or .zip',
    ],
    ['a short hash', sealed(TEXT.replace(A, 'aa')), 'a SHA-256 in hexadecimal'],
    ['no size', sealed(TEXT.replace('size: 8', 'size: 0')), 'size'],
    ['an unknown key', sealed(TEXT.replace('kind: sdist', 'kind: sdist, url: x')), 'url'],
    [
      'a Go module outside its folder',
      sealed(
        TEXT.replace(
          'name: x.test/A, version: "v1.2.3", kind: zip',
          'name: x.test/../A, version: "v1.2.3", kind: zip',
        ),
      ),
      'a Go module path',
    ],
    [
      'a branch instead of a Go module version',
      sealed(TEXT.replace('x.test/A: "v1.2.3"', 'x.test/A: "main"')),
      'a Go module version',
    ],
    [
      'a Go module file twice',
      sealed(TEXT.replace('kind: mod', 'kind: zip')),
      'the lock lists x.test/!a/@v/v1.2.3.zip twice',
    ],
    [
      'a branch instead of a commit',
      sealed(TEXT.replace('b'.repeat(40), 'master')),
      'a commit of 40 hexadecimal digits',
    ],
  ])('is refused with %s', (_, text, message) => {
    expect(() => read(text)).toThrow(message);
  });
});

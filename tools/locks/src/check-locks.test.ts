import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileChanged, imageName, series, type Sha256 } from '#core';
import { readWorkspace, seriesOf } from '#definitions';
import { buildGraph, type ImageGraph } from '#graph';
import { memoryMemo } from '#ports/testing';
import { checkLocks, lockFaults, refuseLocks, requestOf } from './check-locks.ts';
import { lockPath, writeLock } from './lock-store.ts';
import type { DebianPackage, Lock } from './types.ts';

const NAMES = ['base', 'service'] as const;
const BASE =
  'title: Base\ndescription: x\nroot: a test\ndebian: { bootstrap: { packages: [apt] } }\n';
const SERVICE =
  'title: Service\ndescription: x\nroot: a test\nparents: { base: base }\ndebian: { runtime: { on: base, packages: [memcached] } }\n';

let root: string;

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function graphOf(): ImageGraph {
  return buildGraph(readWorkspace(root, memoryMemo()), series('2026.1'));
}

const states = (): string[] => {
  const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
  return [...checkLocks(graphOf(), definition, memoryMemo()).values()].map(
    ({ image, state, reason }) => `${image} ${state}${reason === undefined ? '' : `: ${reason}`}`,
  );
};

/** Writes a lock that matches the image's current definition. */
function lock(name: (typeof NAMES)[number], version: string): void {
  const graph = graphOf();
  const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
  const image = imageName(name);
  const item: DebianPackage = {
    name: 'apt',
    version,
    architecture: 'amd64',
    sha256: '1'.repeat(64) as Sha256,
    size: 1,
    archive: 'debian',
    pool: 'pool/main/a/apt.deb',
  };
  const request = requestOf(graph, definition, image, memoryMemo());
  const stage = name === 'base' ? 'bootstrap' : 'runtime';
  const content: Lock = {
    format: 1,
    image,
    series: definition.name,
    request,
    debian: { [stage]: [item] },
    python: { runtime: [], build: [] },
    sources: {},
  };
  writeLock(graph.images.get(image)!, content);
}

const STALE = 'the definition, the series or the locked packages of a parent changed';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-locks-'));
  write(
    'images/series.yaml',
    'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
  );
  write('images/base/image.yaml', BASE);
  write('images/service/image.yaml', SERVICE);
  lock('base', '1');
  lock('service', '1');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('checkLocks', () => {
  it('reports locks that match their definitions as current', () => {
    expect(states()).toEqual(['base current', 'service current']);
  });

  it.each<[string, () => void, string[]]>([
    [
      'a title',
      () => write('images/base/image.yaml', BASE.replace('Base', 'Ground')),
      ['base current', 'service current'],
    ],
    [
      'a package',
      () => write('images/service/image.yaml', SERVICE.replace('memcached', 'redis')),
      ['base current', `service stale: ${STALE}`],
    ],
    [
      'the suite',
      () =>
        write(
          'images/series.yaml',
          'series:\n  "2026.1": { codename: gazpacho, suite: forky, python: "3.13" }\n',
        ),
      [`base stale: ${STALE}`, `service stale: ${STALE}`],
    ],
    [
      'the Python of a series whose images do not use it',
      () =>
        write(
          'images/series.yaml',
          'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.14" }\n',
        ),
      ['base current', 'service current'],
    ],
    [
      'an npm package that is not in the repository lock',
      () => write('images/service/image.yaml', `${SERVICE}npm: { packages: [yaml] }\n`),
      ['base current', "service stale: the repository's package-lock.json has no package yaml"],
    ],
    [
      'the locked packages of the parent',
      () => lock('base', '2'),
      ['base current', `service stale: ${STALE}`],
    ],
    [
      'a removed lock',
      () => rmSync(join(root, 'images/base/lock/2026.1.yaml')),
      ['base missing', 'service stale: the base base has no usable lock'],
    ],
    [
      'a manual edit',
      () => {
        const path = join(root, 'images/service/lock/2026.1.yaml');
        writeFileSync(path, readFileSync(path, 'utf8').replace('version: "1"', 'version: "2"'));
      },
      [
        'base current',
        'service tampered: the lock was edited: its checksum does not match its content',
      ],
    ],
  ])('finds outdated locks after a change of %s', (_, change, expected) => {
    change();
    expect(states()).toEqual(expected);
  });

  it.each([
    ['package-lock.json', 'npm: { packages: [yaml] }\n'],
    ['images/upper.txt', 'python: { packages: [pbr] }\n'],
  ])('reports %s relative to the workspace if it changes meanwhile', (file, asked) => {
    write(file, '');
    write(
      'images/series.yaml',
      'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13", constraints: upper.txt }\n',
    );
    write('images/upper.txt', '');
    write('images/service/image.yaml', `${SERVICE}${asked}`);
    const memo = memoryMemo();
    const unsteady = (path: string): Sha256 => {
      if (path === join(root, file)) throw fileChanged(path);
      return memo.fileSha256(path);
    };
    const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
    expect(() => checkLocks(graphOf(), definition, { ...memo, fileSha256: unsteady })).toThrow(
      expect.objectContaining({
        code: 'file-changed',
        message: `${file} changed while it was read`,
        at: { file },
      }),
    );
  });

  it('does not read a lock that the memo has seen', () => {
    const memo = memoryMemo();
    const definition = seriesOf(readWorkspace(root, memo), '2026.1');
    checkLocks(graphOf(), definition, memo);
    const path = lockPath(graphOf().images.get(imageName('base'))!, definition.name);
    const hash = memo.fileSha256(path);
    writeFileSync(path, 'not read');
    const statuses = checkLocks(graphOf(), definition, {
      ...memo,
      fileSha256: (file) => (file === path ? hash : memo.fileSha256(file)),
    });
    expect(statuses.get(imageName('base'))!.state).toBe('current');
  });

  it('names the changed inputs of a lock seen while it was current', () => {
    const memo = memoryMemo();
    const reasons = (): (string | undefined)[] => {
      const series = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
      return [...checkLocks(graphOf(), series, memo).values()].map(({ reason }) => reason);
    };
    expect(reasons()).toEqual([undefined, undefined]);
    lock('base', '2');
    write('images/service/image.yaml', SERVICE.replace('memcached', 'redis'));
    expect(reasons()).toEqual([
      undefined,
      'changed inputs: the Debian packages, the locked packages of the base base',
    ]);
  });

  it('names added overrides without having seen the lock before', () => {
    const seriesWith = (...overrides: readonly string[]): void =>
      write(
        'images/series.yaml',
        `series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    overrides:\n${overrides.map((requirement) => `      - { requirement: ${requirement}, reason: x, expires: "2099-01-01" }\n`).join('')}`,
      );
    write('images/service/image.yaml', `${SERVICE}python: { packages: [one] }\n`);
    seriesWith('a==1');
    lock('service', '1');
    seriesWith('a==1', 'b==2');
    expect(states()).toEqual([
      'base current',
      'service stale: the override b==2 (images/series.yaml:8:24) was added',
    ]);
    write(
      'images/series.yaml',
      'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
    );
    lock('service', '1');
    seriesWith('a==1', 'b==2');
    expect(states()).toEqual([
      'base current',
      'service stale: the override a==1 (images/series.yaml:7:24) and the override b==2 (images/series.yaml:8:24) were added',
    ]);
  });

  it('describes many locks with the same problem in one line', () => {
    const lockOf = (image: string) => ({
      image: imageName(image),
      series: series('lts'),
      file: `images/${image}/lock/lts.yaml`,
    });
    const missing = ['a', 'b', 'c'].map((image) => ({
      ...lockOf(image),
      state: 'missing' as const,
    }));
    expect(lockFaults([...missing, { ...lockOf('d'), state: 'stale', reason: 'x' }])).toEqual([
      'the locks of a, b, c for lts are missing',
      'images/d/lock/lts.yaml is out of date: x',
    ]);
  });

  it('reports every image and the command to run', () => {
    rmSync(join(root, 'images/base/lock/2026.1.yaml'));
    const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
    const refusal = refuseLocks(checkLocks(graphOf(), definition, memoryMemo()), graphOf().order);
    expect([refusal?.code, refusal?.message, refusal?.hint]).toEqual([
      'lock-missing',
      'images/base/lock/2026.1.yaml is missing\nimages/service/lock/2026.1.yaml is out of date: the base base has no usable lock',
      'run: ccp lock --series 2026.1',
    ]);
  });
});

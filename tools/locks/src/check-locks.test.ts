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
const BASE = 'title: Base\ndescription: x\nroot: a test\ndebian: { bootstrap: { packages: [apt] } }\n';
const SERVICE = 'title: Service\ndescription: x\nroot: a test\nparents: { base: base }\ndebian: { runtime: { on: base, packages: [memcached] } }\n';

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

/** Writes a lock that answers the image's definition as it is now. */
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

const STALE = 'the definition, the series or what the parents are locked to has changed since';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-locks-'));
  write('images/series.yaml', 'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n');
  write('images/base/image.yaml', BASE);
  write('images/service/image.yaml', SERVICE);
  lock('base', '1');
  lock('service', '1');
});
afterEach(() => rmSync(root, { recursive: true }));

describe('checkLocks', () => {
  it('finds locks current that answer their definitions', () => {
    expect(states()).toEqual(['base current', 'service current']);
  });

  it.each<[string, () => void, string[]]>([
    ['a title', () => write('images/base/image.yaml', BASE.replace('Base', 'Ground')), ['base current', 'service current']],
    ['a package', () => write('images/service/image.yaml', SERVICE.replace('memcached', 'redis')), ['base current', `service stale: ${STALE}`]],
    [
      'the suite',
      () => write('images/series.yaml', 'series:\n  "2026.1": { codename: gazpacho, suite: forky, python: "3.13" }\n'),
      [`base stale: ${STALE}`, `service stale: ${STALE}`],
    ],
    [
      'the Python of a series whose images have none',
      () => write('images/series.yaml', 'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.14" }\n'),
      ['base current', 'service current'],
    ],
    [
      'a package of npm that the repository does not lock',
      () => write('images/service/image.yaml', `${SERVICE}npm: { packages: [yaml] }\n`),
      ['base current', "service stale: the repository's package-lock.json has no package yaml"],
    ],
    ['what the parent is locked to', () => lock('base', '2'), ['base current', `service stale: ${STALE}`]],
    ['a lock that is gone', () => rmSync(join(root, 'images/base/lock/2026.1.yaml')), ['base missing', 'service stale: the base base has no usable lock']],
    [
      'an edit by hand',
      () => {
        const path = join(root, 'images/service/lock/2026.1.yaml');
        writeFileSync(path, readFileSync(path, 'utf8').replace('version: "1"', 'version: "2"'));
      },
      ['base current', 'service tampered: the lock was edited: its checksum does not fit its content'],
    ],
  ])('tells what follows from a change of %s', (_, change, expected) => {
    change();
    expect(states()).toEqual(expected);
  });

  it.each([
    ['package-lock.json', 'npm: { packages: [yaml] }\n'],
    ['images/upper.txt', 'python: { packages: [pbr] }\n'],
  ])('names %s as the workspace has it where it does not hold still', (file, asked) => {
    write(file, '');
    write('images/series.yaml', 'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13", constraints: upper.txt }\n');
    write('images/upper.txt', '');
    write('images/service/image.yaml', `${SERVICE}${asked}`);
    const memo = memoryMemo();
    const unsteady = (path: string): Sha256 => {
      if (path === join(root, file)) throw fileChanged(path);
      return memo.fileSha256(path);
    };
    const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
    expect(() => checkLocks(graphOf(), definition, { ...memo, fileSha256: unsteady })).toThrow(
      expect.objectContaining({ code: 'file-changed', message: `${file} changed while it was read`, at: { file } }),
    );
  });

  it('reads no lock that the memo knows', () => {
    const memo = memoryMemo();
    const definition = seriesOf(readWorkspace(root, memo), '2026.1');
    checkLocks(graphOf(), definition, memo);
    const path = lockPath(graphOf().images.get(imageName('base'))!, definition.name);
    const hash = memo.fileSha256(path);
    writeFileSync(path, 'not read');
    const statuses = checkLocks(graphOf(), definition, { ...memo, fileSha256: (file) => (file === path ? hash : memo.fileSha256(file)) });
    expect(statuses.get(imageName('base'))!.state).toBe('current');
  });

  it('names what changed of a lock that it saw while that was current', () => {
    const memo = memoryMemo();
    const reasons = (): (string | undefined)[] => {
      const series = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
      return [...checkLocks(graphOf(), series, memo).values()].map(({ reason }) => reason);
    };
    expect(reasons()).toEqual([undefined, undefined]);
    lock('base', '2');
    write('images/service/image.yaml', SERVICE.replace('memcached', 'redis'));
    expect(reasons()).toEqual([undefined, 'changed since: the Debian packages, what the base base is locked to']);
  });

  it('names overrides that were added, without having seen the lock before', () => {
    const seriesWith = (...overrides: readonly string[]): void =>
      write(
        'images/series.yaml',
        `series:\n  "2026.1":\n    codename: gazpacho\n    suite: trixie\n    python: "3.13"\n    overrides:\n${overrides.map((requirement) => `      - { requirement: ${requirement}, reason: x, expires: "2099-01-01" }\n`).join('')}`,
      );
    write('images/service/image.yaml', `${SERVICE}python: { packages: [one] }\n`);
    seriesWith('a==1');
    lock('service', '1');
    seriesWith('a==1', 'b==2');
    expect(states()).toEqual(['base current', 'service stale: the override b==2 (images/series.yaml:8:24) was added since']);
    write('images/series.yaml', 'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n');
    lock('service', '1');
    seriesWith('a==1', 'b==2');
    expect(states()).toEqual([
      'base current',
      'service stale: the override a==1 (images/series.yaml:7:24) and the override b==2 (images/series.yaml:8:24) were added since',
    ]);
  });

  it('tells in one line what is wrong with many locks alike', () => {
    const lockOf = (image: string) => ({ image: imageName(image), series: series('lts'), file: `images/${image}/lock/lts.yaml` });
    const missing = ['a', 'b', 'c'].map((image) => ({ ...lockOf(image), state: 'missing' as const }));
    expect(lockFaults([...missing, { ...lockOf('d'), state: 'stale', reason: 'x' }])).toEqual([
      'the locks of a, b, c for lts are missing',
      'images/d/lock/lts.yaml is stale: x',
    ]);
  });

  it('refuses with every image and the command to run', () => {
    rmSync(join(root, 'images/base/lock/2026.1.yaml'));
    const definition = seriesOf(readWorkspace(root, memoryMemo()), '2026.1');
    const refusal = refuseLocks(checkLocks(graphOf(), definition, memoryMemo()), graphOf().order);
    expect([refusal?.code, refusal?.message, refusal?.hint]).toEqual([
      'lock-missing',
      'images/base/lock/2026.1.yaml is missing\nimages/service/lock/2026.1.yaml is stale: the base base has no usable lock',
      'run: ccp lock --series 2026.1',
    ]);
  });
});

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { imageName, series } from '#core';
import { readWorkspace } from '#definitions';
import { readLock } from '#locks';
import { memoryMemo } from '#ports/testing';
import { REPOSITORY } from '../helpers/ccp.ts';
import { importsIn } from './import-table.ts';

const PROGRAMS = ['tools/cli/src/main.ts', 'tools/entrypoint/src/main.ts'];
const { imports } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  readonly imports: Readonly<Record<string, string>>;
};

/** The files that these programs load or read, relative to the repository, without types. */
function filesOf(programs: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...programs];
  for (const file of queue) {
    if (found.has(file) || !existsSync(join(REPOSITORY, file))) continue;
    found.add(file);
    if (!file.endsWith('.ts') || statSync(join(REPOSITORY, file)).isDirectory()) continue;
    const text = readFileSync(join(REPOSITORY, file), 'utf8');
    const fromFile = (path: string): string => join(dirname(file), path);
    for (const { specifier, typeOnly } of importsIn(file, text)) {
      if (typeOnly) continue;
      if (specifier.startsWith('.')) queue.push(fromFile(specifier));
      else if (imports[specifier] !== undefined) queue.push(relative('.', imports[specifier]));
    }
    for (const [, path] of text.matchAll(/new URL\(\s*['"`]([^'"`$]+)/g)) {
      const target = fromFile(path!);
      if (target.startsWith('tools/')) queue.push(target.replace(/\/$/, ''));
    }
  }
  return found;
}

/** Packages of the commands for use in a cluster: those of `deploy`, `operator`, `release` ... */
const PACKAGES = [
  '#application',
  '#cves',
  '#engines',
  '#operator',
  '#release',
  '#rollout',
  '#site',
  '#store',
];

const { images } = readWorkspace(REPOSITORY, memoryMemo());
const image = images.find(({ name }) => name === imageName('entrypoint'))!;

it('starts each program and its packages with the npm packages of its lock alone', () => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-entrypoint-'));
  for (const path of image.tree ?? [])
    cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
  for (const { path } of readLock(image, series('2026.1')).npm ?? []) {
    const from = join(REPOSITORY, path);
    if (path.split('node_modules/').length > 2 || !existsSync(from)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(from, join(root, path));
  }
  const { NODE_OPTIONS: _, ...env } = process.env;
  const node = (...args: readonly string[]): string =>
    execFileSync(process.execPath, ['--preserve-symlinks', ...args], {
      env,
      cwd: root,
      encoding: 'utf8',
    });
  const run = (program: string, word: string): string => node(join(root, program), word);
  expect(run(PROGRAMS[0]!, '--version')).toBe('0.1.0\n');
  expect(run(PROGRAMS[1]!, '--help')).toContain('Waits until all given conditions are met');
  const imports = PACKAGES.map((name) => `await import('${name}');`).join(' ');
  expect(node('--input-type=module', '--eval', `${imports} console.log('loaded')`)).toBe(
    'loaded\n',
  );
  rmSync(root, { recursive: true });
});

it('contains each folder of sources that its programs load, and no other', () => {
  const { tree = [] } = image;
  const files = [...filesOf(PROGRAMS)];
  expect(files.length).toBeGreaterThan(500);
  const holds = (path: string, file: string): boolean =>
    file === path || file.startsWith(`${path}/`);
  expect(files.filter((file) => !tree.some((path) => holds(path, file)))).toEqual([]);
  expect(tree.filter((path) => !files.some((file) => holds(path, file)))).toEqual(['package.json']);
});

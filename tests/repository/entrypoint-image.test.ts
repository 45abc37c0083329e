import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { imageName } from '#core';
import { readWorkspace } from '#definitions';
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
    const beside = (path: string): string => join(dirname(file), path);
    for (const { specifier, typeOnly } of importsIn(file, text)) {
      if (typeOnly) continue;
      if (specifier.startsWith('.')) queue.push(beside(specifier));
      else if (imports[specifier] !== undefined) queue.push(relative('.', imports[specifier]));
    }
    for (const [, path] of text.matchAll(/new URL\(\s*['"`]([^'"`$]+)/g)) {
      const target = beside(path!);
      if (target.startsWith('tools/')) queue.push(target.replace(/\/$/, ''));
    }
  }
  return found;
}

it('contains each folder of sources that its programs load, and no other', () => {
  const { images } = readWorkspace(REPOSITORY, memoryMemo());
  const { tree = [] } = images.find(({ name }) => name === imageName('entrypoint'))!;
  const files = [...filesOf(PROGRAMS)];
  expect(files.length).toBeGreaterThan(500);
  const holds = (path: string, file: string): boolean =>
    file === path || file.startsWith(`${path}/`);
  expect(files.filter((file) => !tree.some((path) => holds(path, file)))).toEqual([]);
  expect(tree.filter((path) => !files.some((file) => holds(path, file)))).toEqual(['package.json']);
});

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  breaches,
  fileCycle,
  folderPair,
  importsIn,
  packageCycle,
  readImports,
} from './import-table.ts';

const imports = readImports(fileURLToPath(new URL('../../tools', import.meta.url)));

it('has only imports that the table allows', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(breaches(imports)).toEqual([]);
});

it('has no cycle of packages', () => {
  expect(packageCycle(imports)).toBeUndefined();
});

it('has no cycle of files in a package', () => {
  expect(fileCycle(imports)).toBeUndefined();
});

it('has no two folders of a package that import each other', () => {
  expect(folderPair(imports)).toBeUndefined();
});

it('reports a cycle of files and a pair of folders by their chain', () => {
  const chain = [
    ...importsIn('site/src/bind/a.ts', "import type { B } from '../model/b.ts';\n"),
    ...importsIn('site/src/model/b.ts', "import { c } from './c.ts';\n"),
    ...importsIn('site/src/model/c.ts', "const a = await import('../bind/a.ts');\n"),
  ];
  expect(fileCycle(chain)).toBe(
    'site/src/bind/a.ts -> site/src/model/b.ts -> site/src/model/c.ts -> site/src/bind/a.ts',
  );
  expect(fileCycle(chain.slice(0, 2))).toBeUndefined();
  expect(folderPair(chain)).toBe(
    'site/src/bind/a.ts -> site/src/model/b.ts, site/src/model/c.ts -> site/src/bind/a.ts',
  );
});

it('reports a forbidden import and a cycle by their files', () => {
  const graph = importsIn(
    'graph/src/a.ts',
    "import { x } from '#definitions';\nimport type { Y } from '#definitions';\n",
  );
  expect(breaches(graph)).toEqual([
    'graph/src/a.ts imports #definitions; graph may import: core, definitions:types',
  ]);
  expect(breaches(importsIn('build/src/a.ts', "const d = await import('dockerode');"))).toEqual([
    'build/src/a.ts imports dockerode; only engines may',
  ]);
  expect(breaches(importsIn('plan/src/a.ts', "import { x } from '../../store/src/b.ts';"))).toEqual(
    ['plan/src/a.ts reaches into store by a path (../../store/src/b.ts); import #store'],
  );
  const back = importsIn('definitions/src/b.ts', "import { z } from '#graph';");
  expect(packageCycle([...graph, ...back])).toBe(
    'graph/src/a.ts -> definitions, definitions/src/b.ts -> graph',
  );
});

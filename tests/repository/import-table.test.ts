import { expect, test } from 'vitest';
import { breaches, importsIn, packageCycle, readImports } from './import-table.ts';

const imports = readImports(new URL('../../tools', import.meta.url).pathname);

test('every import of ours is in the table', () => {
  expect(imports.length).toBeGreaterThan(100);
  expect(breaches(imports)).toEqual([]);
});

test('no cycle among packages', () => {
  expect(packageCycle(imports)).toBeUndefined();
});

test('a breach and a cycle are told by the files that make them', () => {
  const graph = importsIn('graph/src/a.ts', "import { x } from '#definitions';\nimport type { Y } from '#definitions';\n");
  expect(breaches(graph)).toEqual(['graph/src/a.ts imports #definitions; graph may import: core, definitions:types']);
  expect(breaches(importsIn('build/src/a.ts', "const d = await import('dockerode');"))).toEqual(['build/src/a.ts imports dockerode; only engines may']);
  expect(breaches(importsIn('plan/src/a.ts', "import { x } from '../../store/src/b.ts';"))).toEqual([
    'plan/src/a.ts reaches into store by a path (../../store/src/b.ts); import #store',
  ]);
  const back = importsIn('definitions/src/b.ts', "import { z } from '#graph';");
  expect(packageCycle([...graph, ...back])).toBe('graph/src/a.ts -> definitions, definitions/src/b.ts -> graph');
});

import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { FINGERPRINT_CODE } from '#definitions';
import { readImports } from './import-table.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Imported by the code of plans, but without a part in a fingerprint. */
const OTHERS = ['tools/store/src/', 'tools/cli/src/state/'];

it('lists every folder whose code computes fingerprints', () => {
  const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly imports: Readonly<Record<string, string>>;
  };
  const byFile = Map.groupBy(
    readImports(join(ROOT, 'tools')).filter(({ typeOnly }) => !typeOnly),
    ({ file }) => `tools/${file}`,
  );
  const reached = new Set(['tools/cli/src/compose/plan.ts']);
  for (const file of reached) {
    if (OTHERS.some((folder) => file.startsWith(folder))) continue;
    for (const { specifier } of byFile.get(file) ?? []) {
      if (specifier.startsWith('.')) reached.add(join(dirname(file), specifier));
      else if (specifier.startsWith('#'))
        reached.add(relative(ROOT, join(ROOT, imports[specifier]!)));
    }
  }
  expect(reached.size).toBeGreaterThan(100);
  const listed = [...FINGERPRINT_CODE.map((folder) => `${folder}/`), ...OTHERS];
  expect([...reached].filter((file) => !listed.some((folder) => file.startsWith(folder)))).toEqual(
    [],
  );
});

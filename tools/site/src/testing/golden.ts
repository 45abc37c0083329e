import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import type { KubernetesObject } from '#ports';

const GOLDEN = new URL('../render/golden/', import.meta.url);

/** Objects as a stream of YAML documents. */
export function yamlOf(objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 })}`)
    .join('');
}

/** Compares with a golden file; CCP_UPDATE_GOLDEN=1 writes it again. */
export function expectGolden(name: string, text: string): void {
  const file = new URL(name, GOLDEN);
  if (process.env['CCP_UPDATE_GOLDEN'] === '1') {
    mkdirSync(GOLDEN, { recursive: true });
    writeFileSync(file, text);
  }
  expect(existsSync(file), `${name} is missing: run with CCP_UPDATE_GOLDEN=1`).toBe(true);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

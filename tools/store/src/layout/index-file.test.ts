import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readStoreIndex } from '../index.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-index-file-'));
afterAll(() => rmSync(root, { recursive: true }));

it('refuses an invalid index', () => {
  writeFileSync(join(root, 'index.json'), '{"manifests":[{}]}');
  expect(() => readStoreIndex(root)).toThrow(
    `${join(root, 'index.json')} is not the index of an OCI image layout: a manifest has no digest`,
  );
  writeFileSync(join(root, 'index.json'), 'no\nJSON');
  expect(() => readStoreIndex(root)).toThrow(
    /is not the index of an OCI image layout: it is not JSON \([^\n]*no\\nJSON[^\n]*\)$/,
  );
  expect(readStoreIndex(join(root, 'nowhere')).images).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStore } from '#store';
import type { ImageStore } from '#ports';
import { runConformance } from '../helpers/e2e/run-conformance.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-conformance-'));
let store: ImageStore;

beforeAll(async () => {
  store = await openStore({ folder: join(folder, 'store') });
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it("passes the distribution specification's tests of pull, push, discovery and management", async () => {
  const { tests, skipped, failures } = await runConformance(store.address, store.login, folder);
  expect(failures).toEqual([]);
  expect(tests).toBeGreaterThan(800);
  expect(skipped).toBeLessThanOrEqual(2);
});

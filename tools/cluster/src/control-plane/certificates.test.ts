import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { writeKubeconfig } from './certificates.ts';

it('replaces a kubeconfig that others read at the same time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-kubeconfig-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of ['ca.crt', 'admin.crt', 'admin.key'])
    writeFileSync(join(folder, file), 'x'.repeat(100_000));
  const request = { user: 'admin', server: 'https://127.0.0.1:6443', context: 'test' };
  const path = await writeKubeconfig(folder, request);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  let writing = true;
  const written = (async () => {
    for (let round = 0; round < 200; round += 1) await writeKubeconfig(folder, request);
    writing = false;
  })();
  const sizes = new Set<number>();
  while (writing) {
    sizes.add(readFileSync(path).length);
    await setImmediate();
  }
  await written;
  expect(sizes.size).toBe(1);
});

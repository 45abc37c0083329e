import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { missingTestPackages } from './missing-test-packages.ts';

test('names the packages of programs that are not on the path', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-path-'));
  for (const program of ['git', 'openssl', 'pip3', 'python3', 'ssh-keygen', 'tar']) {
    writeFileSync(join(folder, program), '');
    chmodSync(join(folder, program), 0o755);
  }
  expect(missingTestPackages(true, folder)).toEqual(['xz-utils']);
  expect(missingTestPackages(false, `/nonexistent:${folder}`)).toEqual([
    'xz-utils',
    'chromium',
    'fish',
    'iproute2',
    'util-linux',
    'skopeo',
    'zsh',
  ]);
  rmSync(folder, { recursive: true });
});

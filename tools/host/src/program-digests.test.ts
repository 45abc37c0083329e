import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorText } from '#core';
import { recordPrograms, verifyPrograms } from './program-digests.ts';

function folderOfPrograms(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-programs-'));
  mkdirSync(join(folder, 'stage'));
  for (const name of ['etcd', 'kubelet'])
    writeFileSync(join(folder, name), `${name} 1`, { mode: 0o755 });
  return folder;
}
const verified = (folder: string): string => {
  try {
    verifyPrograms(folder);
    return 'verified';
  } catch (thrown) {
    return errorText(thrown).replaceAll(folder, 'FOLDER');
  }
};

it('verifies unchanged programs repeatedly, and records programs of earlier versions', () => {
  const folder = folderOfPrograms();
  recordPrograms(folder);
  expect([verified(folder), verified(folder), verified(folderOfPrograms())]).toEqual(
    Array(3).fill('verified'),
  );
});

it.each<[string, (folder: string) => void, string]>([
  [
    'was replaced',
    (folder) => writeFileSync(join(folder, 'etcd'), 'etcd 2'),
    'the program etcd in FOLDER is not the one that was built there\n  -> remove that folder; ccp builds its programs again',
  ],
  [
    'is gone',
    (folder) => rmSync(join(folder, 'kubelet')),
    'the program kubelet in FOLDER is missing\n  -> remove that folder; ccp builds its programs again',
  ],
  [
    'others can write',
    (folder) => chmodSync(join(folder, 'etcd'), 0o777),
    'the program etcd is not used, because other users could have replaced it: FOLDER/etcd can be written by everyone (mode 777)\n  -> remove write access for other users (chmod go-w, chown), or set CCP_CACHE to a folder that only this user can write to',
  ],
])('refuses a program that %s', (_, change, expected) => {
  const folder = folderOfPrograms();
  verifyPrograms(folder);
  change(folder);
  expect(verified(folder)).toBe(`ccp: ${expected}`);
});

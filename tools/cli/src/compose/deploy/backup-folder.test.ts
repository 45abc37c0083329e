import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nameInFolder, parseManifest, readBackupFolder } from './backup-folder.ts';
import { importBackup } from './import-backup.ts';
import type { RunningSite } from './open-site.ts';

it.each(['latest', 'nightly.20260102t021500z', 'a-b_c'])('accepts the name %s', (name) =>
  expect(nameInFolder(name)).toBe(name),
);

it.each(['', '.', '..', '../x', 'a/..', '/srv', 'a\nb', '.new-a'])(
  'refuses %j, which could lead to another folder',
  (name) =>
    expect(() => nameInFolder(name)).toThrow(
      `${JSON.stringify(name)} is not the name of a backup or of an app`,
    ),
);

describe('a manifest', () => {
  it.each([
    '{"tables":{"a":null}}',
    '{"tables":{"a":{"rows":"1"}}}',
    '{"tables":{"a":{"rows":-1}}}',
    '{"tables":[]}',
    '{"tables":{},"bytes":"many"}',
    '{"tables":{},"started":5}',
    `{"tables":{},"started":"${'x'.repeat(100)}"}`,
    `{"tables":{},"x":${'['.repeat(300)}${']'.repeat(300)}}`,
  ])('is refused: %.40s', (text) => {
    expect(() => parseManifest(text.replace('{', '{"format":1,'), 'x')).toThrow(
      'the manifest of x is not a manifest in format 1',
    );
  });
});

describe('a folder of a stranger', () => {
  let folder: string;
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ccp-backup-'));
    folder = join(root, 'nightly.20260102t021500z');
    mkdirSync(folder);
    writeFileSync(join(folder, 'manifest.json'), '{"format":1,"tables":{}}');
    for (const name of ['tables', 'dump.sql.gz']) writeFileSync(join(folder, name), '');
    writeFileSync(join(root, 'secret'), 'not for the cluster');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const replaced = (name: string, kind: 'link' | 'pipe'): void => {
    rmSync(join(folder, name), { force: true });
    if (kind === 'link') symlinkSync(join(root, 'secret'), join(folder, name));
    else execFileSync('mkfifo', [join(folder, name)]);
  };

  it.each(['link', 'pipe'] as const)('is refused with a %s instead of a text', (kind) => {
    for (const name of ['keystone.keys.json', 'manifest.json']) {
      replaced(name, kind);
      expect(() => readBackupFolder(folder)).toThrow(
        `${folder} is not an exported backup: ${name} is not a regular file`,
      );
    }
  });

  it.each(['link', 'pipe'] as const)(
    'is not imported with a %s instead of the dump',
    async (kind) => {
      replaced('dump.sql.gz', kind);
      await expect(importBackup({} as RunningSite, 'mariadb', folder)).rejects.toThrow(
        /: dump\.sql\.gz is not a regular file$|is not the name of a backup/,
      );
    },
  );
});

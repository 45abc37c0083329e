import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sha256 } from '#core';
import { openCache } from '../cache/open-cache.ts';
import type { Mirrors } from '../mirrors/mirrors.ts';
import { mirrorServer } from '../testing/mirror-server.ts';
import { fetchFiles } from './fetch-files.ts';

test.skipIf(process.getuid?.() !== 0).each(['partial', 'sha256'])(
  'reports a cache on a read-only file system with the folder %s (needs root to mount it)',
  async (made) => {
    const server = await mirrorServer({ '/pool/a.deb': 'a' });
    const folder = mkdtempSync(join(tmpdir(), 'ccp-read-only-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    try {
      mkdirSync(join(folder, made));
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      const mirrors = { debian: () => ({ debian: [server.url] }) } as unknown as Mirrors;
      const file = {
        kind: 'debian',
        archive: 'debian',
        pool: 'pool/a.deb',
        sha256: sha256('a'),
        size: 1,
      } as const;
      await expect(
        fetchFiles(openCache({ folder }), [file], { mirrors, env: {} }),
      ).rejects.toMatchObject({
        code: 'machine-rights',
        message: `the cache ${folder} cannot be used: cannot write ${folder}: its file system is read-only`,
        hint: 'give this user the right to write there, or set CCP_CACHE to another folder',
      });
    } finally {
      execFileSync('umount', [folder]);
      await server.close();
    }
  },
);

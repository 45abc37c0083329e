import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { digestFromHex, digestOf, type Sha256 } from '#core';
import { openStore, readStoreIndex } from './index.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-killed-store-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('a store whose process dies', () => {
  const script = fileURLToPath(new URL('./testing/keep-storing.ts', import.meta.url));

  it('has no incomplete files and can be opened again', async () => {
    const killed = join(root, 'killed');
    for (const delay of [0, 11, 23]) {
      const child = spawn(process.execPath, [script, killed], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      for (let lines = 0; lines < 3; lines += 1) await once(child.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, delay));
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(existsSync(join(killed, 'lock'))).toBe(true);
      for (const name of readdirSync(join(killed, 'blobs/sha256'))) {
        expect(digestOf(readFileSync(join(killed, 'blobs/sha256', name)))).toBe(
          digestFromHex(name as Sha256),
        );
      }
      expect(() => readStoreIndex(killed)).not.toThrow();
    }
    const after = await openStore({ folder: killed });
    expect(after.list().length).toBeGreaterThan(0);
    for (const image of after.list()) await after.verify(image.digest);
    await after.close();
  });

  it.each([
    [
      'pushing a blob',
      'random',
      'its disk or quota is full (status 403, DENIED: no space left for the image store at',
      'store-full',
    ],
    ['storing a layer', 'regular', 'no space left for the image store at', undefined],
  ])(
    'reports that the disk is full while %s, and names no image',
    async (_, content, message, refused) => {
      const full = join(root, content);
      const output = await new Promise<string>((resolve) => {
        const limited = `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`;
        execFile('sh', ['-c', limited, process.execPath, script, full, content], (_error, stdout) =>
          resolve(stdout),
        );
      });
      expect(output).toContain(message);
      expect(output).toContain('EFBIG');
      expect(output).toContain(`refused: ${refused}\n`);
      expect(readStoreIndex(full).images).toEqual([]);
      expect(readdirSync(join(full, 'blobs/sha256'))).toEqual([]);
    },
  );
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sha256 } from '#core';
import { PRIVATE_RUN } from './endpoint.ts';
import { stopPrivateEngine } from './private-engine.ts';
import { recordUse, findUsers } from './engine-users.ts';

it.runIf(process.getuid?.() === 0)(
  'lists other users of a private engine, and refuses to stop it before they exit (needs root)',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ccp-used-'));
    const run = join(PRIVATE_RUN, sha256(folder).slice(0, 12));
    const users = `${run}.users`;
    recordUse(users);
    recordUse(users);
    expect(findUsers(users)).toEqual([]);
    const script = `const { recordUse } = await import(${JSON.stringify(fileURLToPath(new URL('./engine-users.ts', import.meta.url)))}); recordUse('${users}'); console.log('signed'); setInterval(() => {}, 1e6);`;
    const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(other.stdout, 'data');
      expect([findUsers(users), findUsers(`${run}.none`)]).toEqual([[other.pid], []]);
      await expect(stopPrivateEngine(folder)).rejects.toMatchObject({
        code: 'engine-busy',
        message: `the private engine is in use by process ${other.pid} of this or another workspace`,
      });
      other.kill('SIGKILL');
      await once(other, 'exit');
      expect([findUsers(users), await stopPrivateEngine(folder)]).toEqual([[], false]);
      expect(existsSync(users)).toBe(false);
    } finally {
      other.kill('SIGKILL');
      rmSync(users, { recursive: true, force: true });
    }
  },
);

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sha256 } from '#core';
import { stopPrivateEngine } from './private-engine.ts';
import { signUse, usersOf } from './users-of.ts';

it('names the others that use a private engine, which it then ends for nobody, until they end however that is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-used-'));
  const name = `ccp-engine-${sha256(folder)}`;
  await signUse(name);
  await signUse(name);
  expect(usersOf(name)).toEqual([]);
  const script = `const { signUse } = await import(${JSON.stringify(fileURLToPath(new URL('./users-of.ts', import.meta.url)))}); await signUse('${name}'); console.log('signed'); setInterval(() => {}, 1e6);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  expect([usersOf(name), usersOf('ccp-engine')]).toEqual([[other.pid], []]);
  await expect(stopPrivateEngine(folder)).rejects.toMatchObject({
    code: 'engine-busy',
    message: `the private engine is in use by process ${other.pid}, of this workspace or another`,
  });
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect([usersOf(name), await stopPrivateEngine(folder)]).toEqual([[], false]);
});

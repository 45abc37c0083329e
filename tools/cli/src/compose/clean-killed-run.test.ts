import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { openStore, wasKilled } from '#store';
import type { Output } from '../report/output.ts';
import { cleanKilledRun } from './clean-killed-run.ts';
import type { Project } from './project.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-clean-killed-'));
const folder = join(root, 'store');
const project = {
  paths: { store: folder },
  settings: { engines: ['unix:///nothing.sock'], cache: join(root, 'cache') },
} as unknown as Project;
afterAll(() => rmSync(root, { recursive: true }));

it('removes the uploads and the lock of a killed run, but not of a live one', async () => {
  const script = fileURLToPath(
    new URL('../../../store/src/testing/keep-storing.ts', import.meta.url),
  );
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const printed: string[] = [];
  const output = { info: (text: string) => printed.push(text) } as unknown as Output;
  expect(wasKilled(folder)).toBe(false);
  await cleanKilledRun(project, output);
  expect(existsSync(join(folder, 'incoming'))).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(wasKilled(folder)).toBe(true);
  await cleanKilledRun(project, output);
  expect(wasKilled(folder)).toBe(false);
  expect(readdirSync(folder)).not.toContain('incoming');
  expect(readdirSync(folder)).not.toContain('lock');
  expect(printed).toEqual([
    'image names of this workspace may remain on an engine: unix:///nothing.sock does not respond',
  ]);
  await (await openStore({ folder })).close();
});

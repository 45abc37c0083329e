import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram, type CommandContext } from '../program.ts';
import { completion } from './completion.ts';

let folder: string;
let script = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-completion-'));
  for (const each of ['images/keystone', 'images/nova', 'deploy-specs/example', 'deploy-specs/local']) mkdirSync(join(folder, each), { recursive: true });
  const program = createProgram(new URL('../../../..', import.meta.url).pathname, () => undefined);
  await completion(program)({ output: { result: (text: string) => void (script = text) } } as unknown as CommandContext, ['bash']);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What bash offers for a line; the cursor is at its end. */
function offered(line: string): string {
  const words = line.split(' ').map((word) => `'${word}'`);
  return execFileSync('bash', ['-c', `${script}\nCOMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _ccp; echo "\${COMPREPLY[*]}"`], { cwd: folder, encoding: 'utf8' }).trim();
}

test.each([
  ['ccp pl', 'plan'],
  ['ccp --json pl', 'plan'],
  ['ccp --series 2026.1 build ', 'keystone nova'],
  ['ccp build keystone n', 'nova'],
  ['ccp render ', 'example local'],
  ['ccp deploy a', 'apply action'],
  ['ccp deploy plan ', 'example local'],
  ['ccp deploy plan example ', ''],
  ['ccp deploy action ', 'list run'],
  ['ccp deploy action run l', 'local'],
  ['ccp help re', 'render'],
  ['ccp help deploy sc', 'scale'],
  ['ccp help build ', ''],
  ['ccp deploy apply --kubeconfig ', ''],
  ['ccp deploy apply --kubeconfig file l', 'local'],
  ['ccp deploy rollback --t', '--to --take'],
  ['ccp cache p', 'prune'],
])('bash completes "%s"', (line, expected) => {
  expect(offered(line)).toBe(expected);
});

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createProgram } from './program.ts';
import { separateCommand } from './separate-command.ts';

const program = await createProgram(
  fileURLToPath(new URL('../../..', import.meta.url)),
  () => undefined,
);

test.each([
  ['run keystone keystone-manage --version', 'run keystone -- keystone-manage --version'],
  [
    '--series 2026.1 run --user 0 keystone -q id -u',
    '--series 2026.1 run --user 0 keystone -q -- id -u',
  ],
  ['run keystone -- id -u', 'run keystone -- id -u'],
  ['run keystone --version', 'run keystone --version'],
  ['plan run a b', 'plan run a b'],
])('%s', (given, expected) => {
  expect(separateCommand(program, given.split(' ')).join(' ')).toBe(expected);
});

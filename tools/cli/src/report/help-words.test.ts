import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createProgram } from '../program.ts';
import { helpFor, pathOf } from './help-words.ts';

const program = await createProgram(
  fileURLToPath(new URL('../../../..', import.meta.url)),
  () => undefined,
);

test.each([
  ['help', 'ccp'],
  ['help build', 'ccp build'],
  ['help help', 'ccp'],
  ['deploy help help', 'ccp deploy'],
  ['--series 2026.1 help deploy plan', 'ccp deploy plan'],
  ['deploy help action run', 'ccp deploy action run'],
  ['build help', undefined],
  ['deploy plan help', undefined],
  ['run image -- help', undefined],
  ['deploy', undefined],
  ['deploy plan nosuch', undefined],
  ['-yC folder build', undefined],
  ['--nosuch nosuch', undefined],
])('finds the command of %s', (given, expected) => {
  const command = helpFor(program, given.split(' '));
  expect(command === undefined ? undefined : pathOf(command)).toBe(expected);
});

test.each([
  ['help nosuch', 'unknown command: ccp nosuch', 'list the commands with `ccp --help`'],
  [
    'help deploy apply foo',
    'ccp deploy apply has no commands, so "foo" is unknown',
    'see `ccp help deploy apply`',
  ],
  ['help biuld', 'unknown command: ccp biuld', 'did you mean "build"?'],
  ['deploy help aply', 'unknown command: ccp deploy aply', 'did you mean "apply"?'],
  ['nosuch', 'unknown command: ccp nosuch', 'list the commands with `ccp --help`'],
  ['--series=2026.1 biuld --help', 'unknown command: ccp biuld', 'did you mean "build"?'],
  ['biuld --help', 'unknown command: ccp biuld', 'did you mean "build"?'],
  ['--help biuld', 'unknown command: ccp biuld', 'did you mean "build"?'],
  ['deploy aply', 'unknown command: ccp deploy aply', 'did you mean "apply"?'],
  ['deploy aply --help', 'unknown command: ccp deploy aply', 'did you mean "apply"?'],
  [
    'deploy nosuch -h',
    'unknown command: ccp deploy nosuch',
    'list the commands with `ccp deploy --help`',
  ],
  [
    '-C folder deploy action lst example',
    'unknown command: ccp deploy action lst',
    'did you mean "list"?',
  ],
])('refuses %s', (given, message, hint) => {
  expect(() => helpFor(program, given.split(' '))).toThrow(
    expect.objectContaining({ code: 'usage', message, hint }),
  );
});

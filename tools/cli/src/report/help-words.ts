import type { Command } from 'commander';
import { CcpError, nearest } from '#core';

/**
 * The command whose help is requested with the word `help`: `help`, `help deploy plan`,
 * `deploy help plan`; undefined without that word. Throws `usage` for an unknown command, also
 * without that word: with `--help`, commander would show the help of the group above it.
 */
export function helpFor(program: Command, args: readonly string[]): Command | undefined {
  let command = program;
  let asked = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (word === '--') break;
    if (word.startsWith('-')) {
      const [name] = word.split('=');
      const option = program.options.find(({ short, long }) => name === short || name === long);
      // The rest may be a value of this option: commander refuses unknown options.
      if (option === undefined && !asked && !isHelp(word)) return undefined;
      if (option?.required === true && name === word) index++;
    } else if (word === 'help' && command.commands.length > 0) asked = true;
    else {
      const next = command.commands.find((each) => each.name() === word);
      if (next === undefined && (asked || command.commands.length > 0))
        throw unknown(command, word);
      if (next === undefined) return undefined;
      command = next;
    }
  }
  return asked ? command : undefined;
}

function isHelp(word: string): boolean {
  return word === '-h' || word === '--help';
}

function unknown(group: Command, word: string): CcpError {
  const names = group.commands.map((each) => each.name());
  const meant = nearest(word, names);
  const path = pathOf(group);
  if (names.length === 0)
    return new CcpError({
      code: 'usage',
      message: `${path} has no commands, so "${word}" is unknown`,
      hint: `see \`${path.replace('ccp', 'ccp help')}\``,
    });
  return new CcpError({
    code: 'usage',
    message: `unknown command: ${path} ${word}`,
    hint:
      meant === undefined
        ? `list the commands with \`${path} --help\``
        : `did you mean "${meant}"?`,
  });
}

/** The full name of a command: `ccp deploy plan`. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

import type { Command, CommanderError, Option } from 'commander';
import { CcpError, counted } from '#core';

/** An error of commander about the command line `args`, with the project's words and a hint. */
export function usageError(
  { code, message: text }: CommanderError,
  program: Command,
  args: readonly string[],
): CcpError {
  const { message, hint } = textsOf(code, text.replace(/^error: /, ''), commandOf(program, args));
  return new CcpError({ code: 'usage', message, hint });
}

interface Texts {
  readonly message: string;
  readonly hint: string;
}

/** Texts for commander's own message, whose parts are in quotes; `command` is like `ccp plan`. */
function textsOf(code: string, text: string, command: string): Texts {
  const help = `see \`${command.replace('ccp', 'ccp help')}\``;
  const [first = '', second = ''] = [...text.matchAll(/'([^']*)'/g)].map((match) => match[1]!);
  switch (code) {
    case 'commander.help':
      return { message: 'no command was given', hint: 'list the commands with `ccp --help`' };
    case 'commander.unknownOption': {
      const [, meant] = /\(Did you mean (.*)\?\)/.exec(text) ?? [];
      return {
        message: `unknown option: ${first}`,
        hint: meant === undefined ? help : `did you mean ${meant}?`,
      };
    }
    case 'commander.invalidArgument': {
      const [, value = '', reason = ''] = /argument '(.*?)' is invalid\. (.*)/s.exec(text) ?? [];
      const [, choices] = /^Allowed choices are (.*)\.$/.exec(reason) ?? [];
      return {
        message: `${longName(first)} "${value}" is invalid`,
        hint: choices === undefined ? clause(reason) : `use one of: ${choices}`,
      };
    }
    case 'commander.optionMissingArgument':
      return { message: `${longName(first)} has no value`, hint: `write it as ${first}` };
    case 'commander.missingMandatoryOptionValue':
      return { message: `${longName(first)} is missing`, hint: `write it as ${first}` };
    case 'commander.conflictingOption':
      return {
        message: `${longName(first)} and ${longName(second)} cannot be used together`,
        hint: help,
      };
    case 'commander.missingArgument':
      return { message: `${command} has no argument <${first}>`, hint: help };
    case 'commander.excessArguments': {
      const [, limit, given] = /Expected (\d+) .*?: (.*)\.$/s.exec(text) ?? [];
      const most = limit === '0' ? 'no arguments' : counted(Number(limit), 'argument');
      return { message: `${command} takes ${most}, not "${given}"`, hint: help };
    }
    default:
      return { message: text, hint: help };
  }
}

/** `--output` of `-o, --output <file>`. */
function longName(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** A sentence of an argument parser as a hint. */
function clause(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1).replace(/\.$/, '');
}

/** The words of the command in `args`, like `ccp deploy plan`. */
function commandOf(program: Command, args: readonly string[]): string {
  let command = program;
  const path = ['ccp'];
  for (const word of args) {
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) continue;
    path.push(word);
    command = next;
  }
  return path.join(' ');
}

/** Options whose parser refuses empty values; commands share some options. */
const guarded = new WeakSet<Option>();

/** Makes an option refuse an empty value: a variable of a script may be unset. */
export function refuseEmptyValue(option: Option): void {
  if (guarded.has(option) || !(option.required || option.optional)) return;
  guarded.add(option);
  const { parseArg } = option;
  option.argParser((text: string, before: unknown) => {
    if (text === '') throw emptyError(`the value of ${option.long ?? option.short}`);
    return parseArg === undefined ? text : parseArg(text, before);
  });
}

/** Throws `usage` for an empty argument, except in the command line of a container. */
export function refuseEmptyArguments(command: Command): void {
  for (const [index, argument] of command.registeredArguments.entries()) {
    const given: unknown = command.processedArgs[index];
    const isEmpty = Array.isArray(given) ? given.includes('') : given === '';
    if (isEmpty && argument.name() !== 'command')
      throw emptyError(`the argument <${argument.name()}>`);
  }
}

function emptyError(subject: string): CcpError {
  return new CcpError({
    code: 'usage',
    message: `${subject} is empty`,
    hint: 'give it a value; a variable in the command line may be unset',
  });
}

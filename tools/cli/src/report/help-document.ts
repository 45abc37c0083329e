import type { Command, Option } from 'commander';
import { omitUndefined } from '#core';
import { pathOf } from './help-words.ts';

/** An option, like `--series <name>`. */
export interface HelpOption {
  readonly long?: string;
  readonly short?: string;
  /** Name of its value; absent for a switch. */
  readonly value?: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly default?: string | number | boolean;
}

/** A command as data, for `ccp help --json`. */
export interface HelpDocument {
  /** Full name: `ccp deploy plan`. */
  readonly command: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly variadic: boolean;
  }[];
  /** Its own options; those of `ccp` are options of every command. */
  readonly options: readonly HelpOption[];
  readonly examples: readonly string[];
  readonly commands: readonly HelpDocument[];
}

const EXAMPLES = new WeakMap<Command, readonly string[]>();

/** Keeps the examples of a command, which commander has as text only. */
export function keepExamples(command: Command, examples: readonly string[]): void {
  EXAMPLES.set(command, examples);
}

/** A command and all commands below it as data. */
export function helpDocument(command: Command): HelpDocument {
  return {
    command: pathOf(command),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      variadic: argument.variadic,
    })),
    options: command.options.map(helpOption),
    examples: EXAMPLES.get(command) ?? [],
    commands: command.commands.map(helpDocument),
  };
}

function helpOption(option: Option): HelpOption {
  const { long, short, description, argChoices } = option;
  return {
    ...omitUndefined({
      long: long ?? undefined,
      short: short ?? undefined,
      value: /[<[]([^>\]]+)[>\]]/.exec(option.flags)?.[1],
    }),
    description,
    ...omitUndefined({
      choices: argChoices,
      default: option.defaultValue as HelpOption['default'],
    }),
  };
}

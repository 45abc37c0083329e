import type { Command } from 'commander';
import { CcpError } from '#core';
import type { CommandContext } from '../program.ts';
import { bashCompletion } from './completion-bash.ts';
import { zshCompletion } from './completion-zsh.ts';

/** `ccp completion SHELL`: a script made from the command line's own definition. */
export function completion(program: Command): (context: CommandContext, names: readonly string[]) => Promise<number> {
  return async ({ output }, [shell = '']) => {
    const write = SHELLS[shell];
    if (write === undefined)
      throw new CcpError({ code: 'usage', message: `no completion for the shell "${shell}"`, hint: `one of: ${Object.keys(SHELLS).join(', ')}` });
    const verbs = verbsOf(program, program.options);
    output.result(write(verbs), verbs);
    return 0;
  };
}

/** A command or a group of commands, for a shell. */
export interface Verb {
  /** The words that call it, after `ccp`; none for `ccp` itself. */
  readonly path: readonly string[];
  readonly description: string;
  /** Long names. */
  readonly flags: readonly string[];
  /** Short and long names of those that take a value. */
  readonly valued: readonly string[];
  readonly operands: readonly { readonly name: string; readonly variadic: boolean }[];
  /** Names of the commands of a group. */
  readonly commands: readonly string[];
}

/** A command and all below it; `common` are the options that each takes. */
function verbsOf(command: Command, common: Command['options'], path: readonly string[] = []): Verb[] {
  const options = [...new Set([...common, ...command.options])];
  const verb: Verb = {
    path,
    description: command.description(),
    flags: ['--help', ...options.flatMap(({ long }) => long ?? [])],
    valued: options.filter(({ required }) => required).flatMap(({ short, long }) => [short ?? [], long ?? []].flat()),
    operands: command.registeredArguments.map((operand) => ({ name: operand.name(), variadic: operand.variadic })),
    commands: command.commands.map((each) => each.name()),
  };
  return [verb, ...command.commands.flatMap((each) => verbsOf(each, common, [...path, each.name()]))];
}

const SHELLS: Readonly<Record<string, (verbs: readonly Verb[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: (verbs) =>
    topOf(verbs)
      .flatMap(({ name, description, flags }) => [
        `complete -c ccp -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
        ...flags.map((flag) => `complete -c ccp -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
      ])
      .join('\n'),
};

function topOf(verbs: readonly Verb[]): readonly (Verb & { readonly name: string })[] {
  return verbs.filter(({ path }) => path.length === 1).map((verb) => ({ ...verb, name: verb.path.join(' ') }));
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}

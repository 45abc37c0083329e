import type { Command } from 'commander';
import { CcpError } from '#core';
import type { CommandContext } from '../command.ts';
import { bashCompletion } from './completion/bash.ts';
import type { CompletedCommand } from './completion/words.ts';
import { zshCompletion } from './completion/zsh.ts';

/** `ccp completion SHELL`: a script made from the command line's own definition. */
export function completion(
  program: Command,
): (context: CommandContext, names: readonly string[]) => Promise<number> {
  return async ({ output }, [shell = '']) => {
    const write = SHELLS[shell];
    if (write === undefined)
      throw new CcpError({
        code: 'usage',
        message: `unsupported shell: ${shell}`,
        hint: `use one of: ${Object.keys(SHELLS).join(', ')}`,
      });
    const verbs = verbsOf(program, program.options);
    output.result(write(verbs), verbs);
    return 0;
  };
}

/** A command and all below it; `common` are the options that each takes. */
function verbsOf(
  command: Command,
  common: Command['options'],
  path: readonly string[] = [],
): CompletedCommand[] {
  const options = [...new Set([...common, ...command.options])];
  const verb: CompletedCommand = {
    path,
    description: command.description(),
    flags: ['--help', ...options.flatMap(({ long }) => long ?? [])],
    valued: options
      .filter(({ required }) => required)
      .flatMap(({ short, long }) => [short ?? [], long ?? []].flat()),
    operands: command.registeredArguments.map((operand) => ({
      name: operand.name(),
      variadic: operand.variadic,
    })),
    commands: command.commands.map((each) => each.name()),
  };
  return [
    verb,
    ...command.commands.flatMap((each) => verbsOf(each, common, [...path, each.name()])),
  ];
}

const SHELLS: Readonly<Record<string, (verbs: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: (verbs) =>
    topOf(verbs)
      .flatMap(({ name, description, flags }) => [
        `complete -c ccp -n __fish_use_subcommand -a ${name} -d '${quoted(description)}'`,
        ...flags.map(
          (flag) => `complete -c ccp -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`,
        ),
      ])
      .join('\n'),
};

function topOf(
  verbs: readonly CompletedCommand[],
): readonly (CompletedCommand & { readonly name: string })[] {
  return verbs
    .filter(({ path }) => path.length === 1)
    .map((verb) => ({ ...verb, name: verb.path.join(' ') }));
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''");
}

import type { Command } from 'commander';
import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { CompletedCommand } from './completion/words.ts';

/** `ccp completion SHELL`: a script made from the command line's own definition. */
export const completion: CommandDefinition = {
  usage: 'completion <shell>',
  description: 'print the completion script for bash, zsh or fish',
  examples: [
    'source <(ccp completion bash)  # in ~/.bashrc',
    'ccp completion bash > /etc/bash_completion.d/ccp',
    'source <(ccp completion zsh)  # in .zshrc, after compinit',
    'ccp completion zsh > ~/.zfunc/_ccp  # a folder of fpath',
    'ccp completion fish > ~/.config/fish/completions/ccp.fish',
  ],
  run: async ({ program, output }, [shell = '']) => {
    const { bashCompletion } = await import('./completion/bash.ts');
    const { fishCompletion } = await import('./completion/fish.ts');
    const { zshCompletion } = await import('./completion/zsh.ts');
    const shells: Readonly<Record<string, (verbs: readonly CompletedCommand[]) => string>> = {
      bash: bashCompletion,
      zsh: zshCompletion,
      fish: fishCompletion,
    };
    const write = shells[shell];
    if (write === undefined)
      throw new CcpError({
        code: 'usage',
        message: `unsupported shell: ${shell}`,
        hint: `use one of: ${Object.keys(shells).join(', ')}`,
      });
    const verbs = verbsOf(program, program.options);
    output.result(write(verbs), verbs, 'verbatim');
    return 0;
  },
};

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
    choices: options.flatMap(({ short, long, argChoices }) =>
      argChoices === undefined
        ? []
        : [{ options: [short ?? [], long ?? []].flat(), values: argChoices }],
    ),
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

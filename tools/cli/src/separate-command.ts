import type { Command } from 'commander';

/**
 * The arguments with `--` before the command of `ccp run IMAGE COMMAND`, where it is left out: what follows the command's first word
 * is the command's, whatever options of ours it looks like.
 */
export function separateCommand(program: Command, args: readonly string[]): readonly string[] {
  const run = program.commands.find((command) => command.name() === 'run');
  const options = [...program.options, ...(run?.options ?? [])];
  let operands = 0;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (word === '--') return args;
    if (word.startsWith('-')) {
      if (options.find(({ short, long }) => word === short || word === long)?.required === true) index++;
      continue;
    }
    operands++;
    if (operands === 1 && word !== 'run') return args;
    if (operands === 3) return [...args.slice(0, index), '--', ...args.slice(index)];
  }
  return args;
}

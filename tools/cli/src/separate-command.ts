import type { Command } from 'commander';

/**
 * Adds a missing `--` before the command of `ccp run IMAGE COMMAND`, so that the command's options
 * are not parsed as options of ccp.
 */
export function separateCommand(program: Command, args: readonly string[]): readonly string[] {
  const run = program.commands.find((command) => command.name() === 'run');
  const options = [...program.options, ...(run?.options ?? [])];
  let operands = 0;
  for (let index = 0; index < args.length; index++) {
    const word = args[index] as string;
    if (word === '--') return args;
    if (word.startsWith('-')) {
      if (options.find(({ short, long }) => word === short || word === long)?.required === true)
        index++;
      continue;
    }
    operands++;
    if (operands === 1 && word !== 'run') return args;
    if (operands === 3) return [...args.slice(0, index), '--', ...args.slice(index)];
  }
  return args;
}

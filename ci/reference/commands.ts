import type { Command } from 'commander';
import { createProgram } from '../../tools/cli/src/program.ts';

const GLOBAL_OPTIONS = /\nGlobal Options:\n(?:.+\n)+/;

/**
 * The page of all commands: what `--help` prints, with the options that all commands share once.
 */
export async function commandsPage(root: string): Promise<string> {
  const program = await createProgram(root, () => undefined);
  const sections = commandsOf(program).map((command) => {
    const help = helpOf(command);
    return `## ${pathOf(command)}\n\n${fence(help.replace(GLOBAL_OPTIONS, ''))}`;
  });
  const common = GLOBAL_OPTIONS.exec(helpOf(commandsOf(program)[0] as Command))?.[0] ?? '';
  return [
    '# Commands',
    `Every command also has the options of [all commands](#all-commands). Results go to standard output,
progress and logs to standard error. [Exit codes](exit-codes.md) are the same for all commands.
\`ccp help --json\` prints this page as JSON.`,
    ...sections,
    `## All commands\n\n${fence(common.trim())}`,
  ].join('\n\n');
}

/** The commands without subcommands, in the order of `--help`. */
export function commandsOf(program: Command): readonly Command[] {
  return program.commands.flatMap((command) =>
    command.commands.length === 0 ? [command] : commandsOf(command),
  );
}

export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 96,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text;
}

function fence(text: string): string {
  return `\`\`\`text\n${text.trim()}\n\`\`\``;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { CcpError, errorText } from '#core';
import { addCommand } from './add-command.ts';
import { COMMANDS } from './commands/index.ts';
import { joinNames } from './options.ts';
import { EXIT, exitCodesText } from './report/exit-codes.ts';
import { helpDocument } from './report/help-document.ts';
import { HELP_LAYOUT, helpColumns, tableText } from './report/help-layout.ts';
import { helpFor } from './report/help-words.ts';
import { errorJson, processOutput } from './report/output.ts';
import { separateCommand } from './separate-command.ts';
import { refuseEmptyValue, usageError } from './usage-error.ts';

/**
 * The command line with all commands, or with `only` one of them. A command loads the packages it
 * needs when it runs, which keeps start-up fast.
 */
export async function createProgram(
  own: string,
  finish: (exitCode: number) => void,
  only?: string,
): Promise<Command> {
  const program = new Command('ccp')
    .description(
      'Builds OpenStack container images from lock files and deploys them to Kubernetes by digest.',
    )
    .version(versionOf(own), '-V, --version')
    .exitOverride()
    // Printed by `runCommandLine`, in the words of other errors.
    .configureOutput({ outputError: () => undefined })
    .configureHelp(HELP_LAYOUT)
    .option(
      '--series <name>',
      'OpenStack series, like 2026.1; several separated by commas, or all stable ones with "all" (default: the workspace setting, or its first series)',
      joinNames,
    )
    .option(
      '-C, --directory <folder>',
      'workspace folder, with images/series.yaml or overlay.yaml (default: the one around the current folder)',
    )
    .option('--json', 'print the result as JSON')
    .option('-y, --yes', 'install missing packages, or delete a site, without asking')
    .option('-q, --quiet', 'print results and errors only')
    .option('-v, --verbose', 'print all steps, their output and the causes of errors');
  program.addHelpText('after', () =>
    tableText('Exit codes', exitCodesText(), helpColumns(program)),
  );

  program.options.forEach(refuseEmptyValue);
  const loaders = only === undefined ? Object.values(COMMANDS) : [COMMANDS[only]!];
  for (const command of await Promise.all(loaders.map((load) => load())))
    addCommand(program, command, own, finish);
  return program;
}

/** The version in the tool's own package.json. */
function versionOf(own: string): string {
  return (
    JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { readonly version: string }
  ).version;
}

/** Runs one command line of the tool in the folder `own`; resolves with the exit code. */
export async function runCommandLine(own: string, args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = await createProgram(own, (code) => (exitCode = code), onlyCommand(args));
  const json = args.includes('--json');
  const version = program.version() as string;
  if (json)
    program.configureOutput({
      writeOut: (text) =>
        void process.stdout.write(
          text === `${version}\n` ? `${JSON.stringify({ version })}\n` : text,
        ),
    });
  try {
    const help = helpFor(program, args);
    if (help !== undefined) {
      if (json) processOutput({ json }).result('', helpDocument(help));
      else help.outputHelp();
      return 0;
    }
    await program.parseAsync(separateCommand(program, args), { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    if (!(thrown instanceof CommanderError || thrown instanceof CcpError)) throw thrown;
    const output = processOutput({ json });
    const error = thrown instanceof CcpError ? thrown : usageError(thrown, program, args);
    if (json) output.result('', errorJson(error));
    // commander has printed the help of a group without a command.
    if (error === thrown || thrown.code !== 'commander.help') output.warn(errorText(error, false));
    return EXIT.usage;
  }
  return exitCode;
}

/** The first word, if it is a command that needs no other one; completion describes all of them. */
function onlyCommand([first]: readonly string[]): string | undefined {
  const isOne = first !== undefined && first !== 'completion' && Object.hasOwn(COMMANDS, first);
  return isOne ? first : undefined;
}

import type { Command } from 'commander';
import { CcpError, CcpErrors, errorText, fileFault, isDiskFault, isRightsFault } from '#core';
import type { CommandContext, CommandDefinition, CommandGroup, CommonFlags } from './command.ts';
import { isManySeries } from './compose/chosen-series.ts';
import { exitCodeOf } from './report/exit-codes.ts';
import { keepExamples } from './report/help-document.ts';
import { examplesText, helpColumns } from './report/help-layout.ts';
import { errorJson, processOutput } from './report/output.ts';
import { handlePendingSignals } from './report/pending-signals.ts';
import { refuseEmptyArguments, refuseEmptyValue } from './usage-error.ts';

/**
 * Adds a command or a group to `parent`. The errors of a command are printed, and `finish` receives
 * its exit code.
 */
export function addCommand(
  parent: Command,
  added: CommandDefinition<never> | CommandGroup,
  own: string,
  finish: (exitCode: number) => void,
): void {
  if ('commands' in added) {
    const group = parent.command(added.name).description(added.description);
    for (const each of added.commands) addCommand(group, each, own, finish);
    return;
  }
  const { usage, description, options = [], examples } = added;
  const command = parent.command(usage).description(description);
  for (const option of options) {
    refuseEmptyValue(option);
    command.addOption(option);
  }
  if (examples !== undefined) {
    keepExamples(command, examples);
    command.addHelpText('after', () => examplesText(examples, helpColumns(command)));
  }
  command.action(async (...given: unknown[]) => {
    refuseEmptyArguments(command);
    const names = given
      .slice(0, -2)
      .flat()
      .filter((name): name is string => typeof name === 'string');
    const context = await contextOf(programOf(command), own);
    finish(
      await runPrinted(() => runForSeries(added, context, names, command.opts() as never), context),
    );
  });
}

/** Runs a command for one series, or for each if `--series` has several. */
async function runForSeries(
  { usage, series, run }: CommandDefinition<never>,
  context: CommandContext,
  names: readonly string[],
  flags: never,
): Promise<number> {
  const given = context.flags.series;
  if (series === 'all' || !isManySeries(given)) return run(context, names, flags);
  if (series === 'each') {
    const { runEachSeries } = await import('./compose/each-series.ts');
    return runEachSeries(run, context, names, flags);
  }
  throw new CcpError({
    code: 'usage',
    message: `${usage.split(' ')[0]} takes one series, not "${given}"`,
    hint: 'name one series with --series',
  });
}

function programOf(command: Command): Command {
  return command.parent === null ? command : programOf(command.parent);
}

async function contextOf(program: Command, own: string): Promise<CommandContext> {
  // Loaded here, since `--help` does not need it.
  const { findRoot } = await import('./state/find-root.ts');
  const flags = program.opts<CommonFlags>();
  return {
    // Searched only on access: some commands need no workspace.
    get root() {
      return findRoot(flags.directory, currentFolder(), own);
    },
    own,
    program,
    output: processOutput(flags),
    flags,
  };
}

/** Throws `usage` if the folder that this process was started in was deleted. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new CcpError({
      code: 'usage',
      message: 'the current folder was deleted',
      hint: 'change to an existing folder',
      cause,
    });
  }
}

/** Runs a command and prints its error; resolves with the exit code. */
async function runPrinted(
  run: () => Promise<number>,
  { own, output }: CommandContext,
): Promise<number> {
  try {
    return await run();
  } catch (caught) {
    // The cancellation may be the reason: a terminal sends its signals to child processes too.
    await handlePendingSignals();
    const thrown = await explained(systemFault(caught), own);
    if (output.json) output.result('', errorJson(thrown));
    output.warn(errorText(thrown, output.verbose));
    return exitCodeOf(thrown);
  }
}

/** The error of damaged npm packages for an unexpected error; returns other errors unchanged. */
async function explained(thrown: unknown, own: string): Promise<unknown> {
  if (thrown instanceof CcpError || thrown instanceof CcpErrors) return thrown;
  const { damagedModules } = await import('./report/damaged-modules.ts');
  return damagedModules(own, thrown) ?? thrown;
}

/**
 * Turns an unhandled full disk or missing permission into an error with a hint; returns other
 * errors unchanged.
 */
function systemFault(thrown: unknown): unknown {
  const { path } = (thrown ?? {}) as NodeJS.ErrnoException;
  if (isDiskFault(thrown)) return fileFault(thrown, 'write', path ?? 'a file');
  return isRightsFault(thrown) && path !== undefined ? fileFault(thrown, 'use', path) : thrown;
}

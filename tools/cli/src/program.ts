import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, type Option } from 'commander';
import { CcpError, errorText } from '#core';
import { separateCommand } from './separate-command.ts';
import { EXIT, exitCodesText } from './exit-codes.ts';
import { helpFor } from './help-words.ts';
import { errorJson, processOutput, type Output, type OutputFlags } from './output.ts';
import { registerDeploy } from './register-deploy.ts';
import { registerImages } from './register-images.ts';
import { verbOf } from './verb-of.ts';

/** Flags every command takes. */
export interface CommonFlags extends OutputFlags {
  readonly series?: string;
  readonly directory?: string;
  readonly yes?: boolean;
}

/** What a command gets beside its own flags. */
export interface CommandContext {
  /** Absolute path of the workspace; raises what `findRoot` raises. */
  readonly root: string;
  /** Absolute path of the repository the tool itself lies in. */
  readonly own: string;
  readonly output: Output;
  readonly flags: CommonFlags;
}

/** What a command runs; resolves with its exit code. */
export type Run<F> = (context: CommandContext, names: readonly string[], flags: F) => Promise<number>;

/** Adds a command to the program, or to a group of it; `load` gives what it runs. */
export type Verb = <F>(usage: string, description: string, load: () => Promise<Run<F>>, options?: readonly Option[], group?: Command) => void;

/** The whole command line. Each command's code is loaded when it runs, so that a quick one stays quick. */
export function createProgram(own: string, finish: (exitCode: number) => void): Command {
  const program = new Command('ccp')
    .description('Builds OpenStack container images from locks and renders their deployment by digest.')
    .version(versionOf(own), '-V, --version')
    .exitOverride()
    .showHelpAfterError('(ccp help COMMAND shows examples)')
    .configureHelp({ showGlobalOptions: true })
    .option('--series <name>', 'series to work on, like 2026.1')
    .option('-C, --directory <folder>', 'workspace to work in, a folder with images/; without it the one that the current folder is in')
    .option('--json', 'print the result as JSON')
    .option('-y, --yes', 'install what is missing without asking')
    .option('-q, --quiet', 'print results and errors only')
    .option('-v, --verbose', 'print causes and every step');
  program.addHelpText('after', `\nExit codes:\n${exitCodesText()}`);

  const verb = verbOf(program, own, finish);
  registerImages(verb);
  registerDeploy(program, verb);
  verb(
    'up [site]',
    'start a Kubernetes cluster of one node on this machine, made ready for a site or for all',
    async () => (await import('./commands/up.ts')).up,
  );
  verb('down', 'end that cluster and remove all of it, its data too', async () => (await import('./commands/down.ts')).down);
  verb('nx [arguments...]', 'run Nx with the same Node and packages', async () => (await import('./commands/nx.ts')).nx);
  verb('completion <shell>', 'print the completion script of bash, zsh or fish', async () => (await import('./commands/completion.ts')).completion(program));
  return program;
}

/** The version in the tool's own package.json. */
function versionOf(own: string): string {
  return (JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

/** Runs one command line of the tool that lies in `own`; resolves with the exit code. */
export async function runCommandLine(own: string, args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = createProgram(own, (code) => (exitCode = code));
  const json = args.includes('--json');
  const version = program.version() as string;
  if (json) program.configureOutput({ writeOut: (text) => void process.stdout.write(text === `${version}\n` ? `${JSON.stringify({ version })}\n` : text) });
  try {
    const help = helpFor(program, args);
    if (help !== undefined) {
      help.outputHelp();
      return 0;
    }
    await program.parseAsync(separateCommand(program, args), { from: 'user' });
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0;
    if (!(thrown instanceof CommanderError || thrown instanceof CcpError)) throw thrown;
    const output = processOutput({ json });
    if (json) output.result('', errorJson(thrown instanceof CcpError ? thrown : usageError(thrown)));
    if (thrown instanceof CcpError) output.warn(errorText(thrown, false));
    return EXIT.usage;
  }
  return exitCode;
}

/** What commander says, which it has printed, as an error for programs. */
function usageError({ code, message }: CommanderError): CcpError {
  if (code !== 'commander.help') return new CcpError({ code: 'usage', message: message.replace(/^error: /, '') });
  return new CcpError({ code: 'usage', message: 'no command was named', hint: 'ccp --help lists the commands' });
}

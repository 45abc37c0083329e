import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { CcpError, errorText, fileFault, isDiskFault } from '#core';
import { separateCommand } from './command-words.ts';
import { registerDeploy } from './deploy-commands.ts';
import { exitCodeFor, exitCodeOf, exitCodesText } from './exit-codes.ts';
import { findRoot } from './find-root.ts';
import { helpFor } from './help-words.ts';
import { collect, count } from './option-values.ts';
import { errorJson, processOutput, type Output, type OutputFlags } from './output.ts';

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

type Run<F> = (context: CommandContext, names: readonly string[], flags: F) => Promise<number>;

/** Adds a command to the program, or to a group of it; `load` gives what it runs. */
export type Verb = <F>(usage: string, description: string, load: () => Promise<Run<F>>, options?: readonly Option[], group?: Command) => void;

const EXAMPLES: Readonly<Record<string, string>> = {
  build: 'ccp build\nccp build keystone --series 2025.2\nccp build plan.json',
  plan: 'ccp plan\nccp plan keystone --json\nccp plan -o plan.json',
  explain: 'ccp explain keystone\nccp explain keystone --against plan.json',
  graph: 'ccp graph\nccp graph keystone --json',
  lock: 'ccp lock --check\nccp lock keystone --series 2026.1\nccp lock --update',
  fetch: 'ccp fetch\nccp fetch keystone --series 2025.2',
  render: 'ccp render example\nccp render example -o manifests.yaml\nccp render example --chart chart',
  run: 'ccp run keystone -- keystone-manage --version',
  inspect: 'ccp inspect keystone\nccp inspect keystone --verify',
  test: 'ccp test\nccp test --fast\nccp test --all',
  cache: 'ccp cache\nccp cache prune --days 30',
  clean: 'ccp clean\nccp clean --all',
  up: 'ccp up\nccp up local && ccp deploy apply local --kubeconfig .ccp/cluster/kubeconfig',
  down: 'ccp down',
  completion: 'ccp completion bash > /etc/bash_completion.d/ccp',
  'deploy validate': 'ccp deploy validate example --online',
  'deploy status': 'ccp deploy status example --watch',
  'deploy logs': 'ccp deploy logs example keystone/workload/api --tail 50',
  'deploy explain': 'ccp deploy explain example keystone.replicas.api',
  'deploy plan': 'ccp deploy plan example\nccp deploy plan example -o plan.json',
  'deploy apply': 'ccp deploy apply example\nccp deploy apply example plan.json\nccp deploy apply example --contract',
  'deploy upgrade': 'ccp deploy upgrade example --set release.json',
  'deploy scale': 'ccp deploy scale example keystone.api=5',
  'deploy rollback': 'ccp deploy rollback example --plan\nccp deploy rollback example --to 3',
  'deploy delete': 'ccp deploy delete example\nccp deploy delete example --yes --claims --secrets',
};

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

  const verb: Verb = <F>(usage: string, description: string, load: () => Promise<Run<F>>, options: readonly Option[] = [], group: Command = program): void => {
    const command = group.command(usage).description(description);
    for (const option of options) command.addOption(option);
    const examples = EXAMPLES[group === program ? command.name() : `${group.name()} ${command.name()}`];
    if (examples !== undefined) command.addHelpText('after', `\nExamples:\n${examples.replaceAll(/^/gm, '  ')}`);
    command.action(async (...given: unknown[]) => {
      const names = given.slice(0, -2).flat().filter((name): name is string => typeof name === 'string');
      const flags = program.opts<CommonFlags>();
      const output = processOutput(flags);
      try {
        const run = await load();
        const context: CommandContext = {
          // Looked for where it is asked for: some commands need no workspace.
          get root() {
            return findRoot(flags.directory, process.cwd(), own);
          },
          own,
          output,
          flags,
        };
        finish(await run(context, names, command.opts() as F));
      } catch (caught) {
        const thrown = diskFault(caught);
        if (output.json) output.result('', errorJson(thrown));
        output.warn(errorText(thrown, output.verbose));
        finish(exitCodeOf(thrown));
      }
    });
  };

  verb('build [images...]', 'build images from their locks, or exactly what a plan file says', async () => (await import('./commands/build.ts')).build, [
    new Option('--engine <endpoint>', 'engine to build on (unix:// or tcp://); given several times, the images are spread over them').argParser(collect),
    new Option('-j, --jobs <number>', 'images built at the same time').argParser(count),
    new Option('--no-cache', "do not use the engine's build cache"),
    new Option('--rebuild', 'build also what the store has already'),
    new Option('--offline', 'use only inputs that are in the cache'),
    new Option('--all', 'every image of the series, which is the default too'),
  ]);
  verb('plan [images...]', 'say what must be built, and why; no engine, and network only once: to find out whether git hosts answer', async () => (await import('./commands/plan.ts')).plan, [
    new Option('-o, --output <file>', 'write the plan file that `ccp build FILE` takes'),
  ]);
  verb('explain <image>', 'name the inputs that differ from the last build, or from a plan file', async () => (await import('./commands/explain.ts')).explain, [
    new Option('--against <file>', 'compare with this plan file'),
  ]);
  verb('graph [images...]', 'show the layers of images', async () => (await import('./commands/graph.ts')).graph);
  verb('lock [images...]', 'resolve and write lock files', async () => (await import('./commands/lock.ts')).lock, [
    new Option('--check', 'only say whether locks answer their definitions'),
    new Option('--update', 'take newer versions where there are some'),
  ]);
  verb('fetch [images...]', 'fill the cache with every locked input', async () => (await import('./commands/fetch.ts')).fetchInputs, [
    new Option('--offline', 'only say what is missing'),
  ]);
  verb('render <site>', 'give the Kubernetes objects of a site of deploy-specs/', async () => (await import('./commands/render.ts')).render, [
    new Option('-o, --output <file>', 'write them to a file'),
    new Option('--chart <folder>', 'write them to a folder as a Helm chart'),
    new Option('--set <file>', "the image set's manifest; that of the last build where absent"),
  ]);
  verb('run <image> [command...]', 'run a command in a built image, without network', async () => (await import('./commands/run.ts')).run, [
    new Option('--user <user>', 'run as another user'),
    new Option('--engine <endpoint>', 'engine to run it on'),
  ]);
  verb('inspect <image>', 'show what a built image is made of', async () => (await import('./commands/inspect.ts')).inspect, [
    new Option('--verify', 'read every blob again'),
  ]);
  verb('test', 'get what is needed and run the tests of the project', async () => (await import('./commands/test.ts')).test, [
    new Option('--fast', 'leave out the tests that need an engine or a cluster'),
    new Option('--all', 'add those that take many minutes: a whole cloud, sources of master').conflicts('fast'),
  ]);
  verb('cache [action]', 'show the cache of inputs, or prune it', async () => (await import('./commands/cache.ts')).cache, [
    new Option('--days <number>', 'with prune: drop what no lock names and nothing read for so many days (30)').argParser(count),
  ]);
  verb('clean', 'drop stored images that no image set names, the logs of all runs but the last, and what engines remember of the store', async () => (await import('./commands/clean.ts')).clean, [
    new Option('--all', "drop the workspace's whole state: store, logs, records"),
    new Option('--build-cache', "drop the private engine's build cache, which all workspaces share"),
    new Option('--engine', 'end the private engine and drop its data'),
  ]);
  registerDeploy(program, verb);
  verb('up [site]', 'start a Kubernetes cluster of one node on this machine, made ready for a site or for all', async () => (await import('./commands/up.ts')).up);
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
    return exitCodeFor('usage') ?? 2;
  }
  return exitCode;
}

/** What commander says, which it has printed, as an error for programs. */
function usageError({ code, message }: CommanderError): CcpError {
  if (code !== 'commander.help') return new CcpError({ code: 'usage', message: message.replace(/^error: /, '') });
  return new CcpError({ code: 'usage', message: 'no command was named', hint: 'ccp --help lists the commands' });
}

/** A full disk that nobody met before, as an error that says what to do; all else as it is. */
function diskFault(thrown: unknown): unknown {
  if (!isDiskFault(thrown)) return thrown;
  return fileFault(thrown, 'write', (thrown as NodeJS.ErrnoException).path ?? 'a file');
}

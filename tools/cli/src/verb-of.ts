import type { Command } from 'commander';
import { CcpError, errorText, fileFault, isDiskFault, isRightsFault } from '#core';
import type { CommandContext, CommonFlags, Run, RegisterCommand } from './command.ts';
import { exitCodeOf } from './report/exit-codes.ts';
import { errorJson, processOutput } from './report/output.ts';
import { findRoot } from './state/find-root.ts';

const EXAMPLES: Readonly<Record<string, string>> = {
  build: 'ccp build\nccp build keystone --series 2025.2\nccp build plan.json',
  plan: 'ccp plan\nccp plan keystone --json\nccp plan -o plan.json',
  explain: 'ccp explain keystone\nccp explain keystone --against plan.json',
  graph: 'ccp graph\nccp graph keystone --json',
  lock: 'ccp lock --check\nccp lock keystone --series 2026.1\nccp lock --update',
  fetch: 'ccp fetch\nccp fetch keystone --series 2025.2',
  render:
    'ccp render example\nccp render example -o manifests.yaml\nccp render example --chart chart',
  run: 'ccp run keystone -- keystone-manage --version',
  inspect: 'ccp inspect keystone\nccp inspect keystone --verify',
  test: [
    'ccp test',
    'ccp test --fast',
    'ccp test tools/plan/src/explain.test.ts',
    'ccp test tools/plan resolve-locks',
    'ccp test --group engine --group slow',
    'ccp test --all',
  ].join('\n'),
  cache: 'ccp cache\nccp cache prune --days 30',
  clean: 'ccp clean\nccp clean --all',
  up: 'ccp up\nccp up local && ccp deploy apply local --kubeconfig .ccp/cluster/kubeconfig',
  down: 'ccp down',
  completion: [
    'source <(ccp completion bash)                # in ~/.bashrc, or',
    'ccp completion bash > /etc/bash_completion.d/ccp',
    'source <(ccp completion zsh)                 # in ~/.zshrc below compinit, or',
    'ccp completion zsh > ~/.zfunc/_ccp           # with fpath+=(~/.zfunc) in ~/.zshrc above compinit',
    'ccp completion fish > ~/.config/fish/completions/ccp.fish',
  ].join('\n'),
  'deploy validate': 'ccp deploy validate example --online',
  'deploy status': 'ccp deploy status example --watch',
  'deploy logs': 'ccp deploy logs example keystone/workload/api --tail 50',
  'deploy explain': 'ccp deploy explain example keystone.replicas.api',
  'deploy plan': 'ccp deploy plan example\nccp deploy plan example -o plan.json',
  'deploy apply':
    'ccp deploy apply example\nccp deploy apply example plan.json\nccp deploy apply example --contract',
  'deploy upgrade': 'ccp deploy upgrade example --set release.json',
  'deploy scale': 'ccp deploy scale example keystone.api=5',
  'deploy rollback': 'ccp deploy rollback example --plan\nccp deploy rollback example --to 3',
  'deploy delete': 'ccp deploy delete example\nccp deploy delete example --yes --claims --secrets',
};

/**
 * Returns the function that adds commands to `program`. A command's code is loaded when it runs,
 * its errors are printed, and `finish` receives its exit code.
 */
export function verbOf(
  program: Command,
  own: string,
  finish: (exitCode: number) => void,
): RegisterCommand {
  return (usage, description, load, options = [], group = program) => {
    const command = group.command(usage).description(description);
    for (const option of options) command.addOption(option);
    const examples =
      EXAMPLES[group === program ? command.name() : `${group.name()} ${command.name()}`];
    if (examples !== undefined)
      command.addHelpText('after', `\nExamples:\n${examples.replaceAll(/^/gm, '  ')}`);
    command.action(async (...given: unknown[]) => {
      const names = given
        .slice(0, -2)
        .flat()
        .filter((name): name is string => typeof name === 'string');
      finish(await runLoaded(load, names, command, contextOf(program, own)));
    });
  };
}

function contextOf(program: Command, own: string): CommandContext {
  const flags = program.opts<CommonFlags>();
  return {
    // Searched only on access: some commands need no workspace.
    get root() {
      return findRoot(flags.directory, currentFolder(), own);
    },
    own,
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

async function runLoaded<F>(
  load: () => Promise<Run<F>>,
  names: readonly string[],
  command: Command,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  try {
    const run = await load();
    return await run(context, names, command.opts() as F);
  } catch (caught) {
    const thrown = systemFault(caught);
    if (output.json) output.result('', errorJson(thrown));
    output.warn(errorText(thrown, output.verbose));
    return exitCodeOf(thrown);
  }
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

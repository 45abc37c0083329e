import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../tools/cli/src/commands/index.ts';
import type { CommandDefinition, CommandGroup } from '../../tools/cli/src/command.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = testWorkspace();
});
afterAll(() => workspace.remove());

const run = (args: readonly string[]) => runInProcess(workspace.root, args);
const EMPTY = 'give it a value; a variable in the command line may be unset';

it.each<[readonly string[], string, string]>([
  [['plan', '--bogus'], 'unknown option: --bogus', 'see `ccp help plan`'],
  [['deploy', 'plan', '--bogus'], 'unknown option: --bogus', 'see `ccp help deploy plan`'],
  [['plan', '--serie', 'x'], 'unknown option: --serie', 'did you mean --series?'],
  [['graph', '--format', 'X'], '--format "X" is invalid', 'use one of: tree, dot, mermaid, json'],
  [['build', '-j', 'x'], '--jobs "x" is invalid', 'it must be a whole number from 1 to 9999'],
  [['plan', '-o'], '--output has no value', 'write it as -o, --output <file>'],
  [['keygen'], 'ccp keygen has no argument <file>', 'see `ccp help keygen`'],
  [['doctor', 'a b'], 'ccp doctor takes no arguments, not "a b"', 'see `ccp help doctor`'],
  [['keygen', 'a', 'b'], 'ccp keygen takes 1 argument, not "a, b"', 'see `ccp help keygen`'],
  [['release', 'bundle', '1'], '--output is missing', 'write it as -o, --output <file>'],
  [
    ['test', '--all', '--group', 'fast'],
    '--group and --all cannot be used together',
    'see `ccp help test`',
  ],
  [
    ['graph', '--format', 'dot', '--json'],
    '--format dot and --json cannot be used together',
    'leave out one of them',
  ],
  [
    ['affected', '--format', 'list', '--json'],
    '--format list and --json cannot be used together',
    'leave out one of them',
  ],
  [['plan', '-o', ''], 'the value of --output is empty', EMPTY],
  [['affected', '--base='], 'the value of --base is empty', EMPTY],
  [['-C', '', 'plan'], 'the value of --directory is empty', EMPTY],
  [['plan', '--series', ''], 'the value of --series is empty', EMPTY],
  [['keygen', ''], 'the argument <file> is empty', EMPTY],
  [['completion', ''], 'the argument <shell> is empty', EMPTY],
  [['plan', 'a', ''], 'the argument <images> is empty', EMPTY],
  [['run', ''], 'the argument <image> is empty', EMPTY],
  [
    ['-C', '/nonexistent', 'plan'],
    'the workspace folder /nonexistent does not exist',
    'check the path after -C',
  ],
])('refuses %j', async (args, message, hint) => {
  const { exitCode, stdout, stderr } = await run(args);
  const error = `ccp: ${message}\n  -> ${hint}\n`;
  const json = args.includes('--json');
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: error });
  if (!json) expect(stdout).toBe('');
  const answer = json ? stdout : (await run([...args, '--json'])).stdout;
  // The last option takes --json as its value.
  if (message.endsWith('has no value')) return;
  expect(JSON.parse(answer)).toEqual({ errors: [{ code: 'usage', message, hint }] });
});

/** Every command as its words, with its definition. */
async function allCommands(): Promise<readonly (readonly [string, CommandDefinition<never>])[]> {
  const walk = (
    each: CommandDefinition<never> | CommandGroup,
    path: string,
  ): (readonly [string, CommandDefinition<never>])[] =>
    'commands' in each
      ? each.commands.flatMap((inner) => walk(inner, `${path}${each.name} `))
      : [[`${path}${each.usage.split(' ')[0]}`, each]];
  return (await Promise.all(Object.values(COMMANDS).map((load) => load()))).flatMap((each) =>
    walk(each, ''),
  );
}

describe('every option with a value', () => {
  it('refuses an empty one', async () => {
    for (const [words, { options = [] }] of await allCommands())
      for (const { long, required } of options.filter((option) => option.required)) {
        const { exitCode, stderr } = await run([...words.split(' '), `${long}=`]);
        expect([words, required, exitCode, stderr]).toEqual([
          words,
          true,
          2,
          `ccp: the value of ${long} is empty\n  -> ${EMPTY}\n`,
        ]);
      }
  });
});

import { readFileSync } from 'node:fs';
import { omitUndefined } from '#core';
import type { ContainerSpec } from '#ports';
import { commandFindings } from './command-check.ts';
import { commandScript, scriptSeconds, type ScriptedCommand } from './command-script.ts';
import { cutOff } from './finding-text.ts';
import { parseCommands, type CommandResult } from './probe-records.ts';
import { pythonFindings } from './python-check.ts';
import { isolated, LIMIT_SECONDS, loadFactor, repeatAlone, runLimited } from './test-container.ts';
import type { CheckName, ImageExpectations, TestReport, TestSubject } from './types.ts';

/** Folder for the commands' output: the only one that every user can write to. */
const OUTPUT_FOLDER = '/tmp';
const PYTHON_CHECK = 'the Python checks';

/** A command with its time limit at a load factor. */
interface LimitedCommand {
  readonly name: string;
  readonly run: readonly string[];
  readonly exitCode: number;
  readonly seconds: (factor: number) => number;
}

/**
 * Runs the commands and the Python checks of an image in one container, as the image's user;
 * without any, no container is started. A command that timed out is run once more in a container of
 * its own, after `others` has settled. Throws the runner's errors.
 */
export async function commandReport(
  expected: ImageExpectations,
  subject: TestSubject,
  others: Promise<unknown>,
  signal?: AbortSignal,
): Promise<TestReport> {
  const commands = limitedCommands(expected);
  if (commands.length === 0) return { checks: [], findings: [] };
  const checks: CheckName[] = [
    ...(expected.commands.length > 0 ? ['command' as const] : []),
    ...(expected.imports.length > 0 ? ['imports' as const] : []),
    ...(expected.python ? ['requirements' as const] : []),
  ];
  const { runner, reference, loadFactor: factor = loadFactor } = subject;
  const atStart = factor();
  const script = commands.map(({ run, seconds }) => ({ run, seconds: seconds(atStart) }));
  const first = await runLimited(
    runner,
    containerOf(reference, script),
    () => LIMIT_SECONDS.container * factor() + scriptSeconds(script),
    signal,
  );
  const results = [...parseCommands(first.stdout)];
  if (results.length === 0)
    return { checks, findings: [cutOff('command', 'command checks', first)] };
  const repeated: string[] = [];
  for (const [index, command] of commands.entries()) {
    if (!hasTimedOut(results[index], command)) continue;
    await others;
    repeated.push(command.name);
    results[index] = await repeatAlone(() =>
      runAgain(command, results[index]!, { ...subject, loadFactor: factor }, signal),
    );
  }
  const findings = expected.commands.flatMap((command, index) =>
    commandFindings(command, results[index], expected.versions),
  );
  const python =
    commands.length > expected.commands.length
      ? pythonFindings(results[expected.commands.length], expected)
      : [];
  return {
    checks,
    findings: [...findings, ...python],
    ...(repeated.length > 0 ? { repeated } : {}),
  };
}

function limitedCommands({
  commands,
  imports,
  python,
  provided,
}: ImageExpectations): readonly LimitedCommand[] {
  const limited = commands.map(({ name, run, exitCode, timeout }): LimitedCommand => ({
    name,
    run,
    exitCode,
    seconds: (factor) => timeout ?? Math.ceil(LIMIT_SECONDS.command * factor),
  }));
  if (!python && imports.length === 0) return limited;
  const request = JSON.stringify({ imports, consistent: python, provided });
  const probe = readFileSync(new URL('probe.py', import.meta.url), 'utf8');
  return [
    ...limited,
    {
      name: PYTHON_CHECK,
      run: ['python3', '-B', '-P', '-c', probe, request],
      exitCode: 0,
      seconds: (factor) => Math.ceil(LIMIT_SECONDS.python * factor),
    },
  ];
}

/** True if `timeout` ended the command, or probably killed it. */
function hasTimedOut(result: CommandResult | undefined, { exitCode }: LimitedCommand): boolean {
  return result?.exitCode === 124 || (result?.exitCode === 137 && exitCode !== 137);
}

/** Runs one command in a new container; its earlier result if the container ends before it. */
async function runAgain(
  { run, seconds }: LimitedCommand,
  earlier: CommandResult,
  { runner, reference, loadFactor: factor = loadFactor }: TestSubject,
  signal: AbortSignal | undefined,
): Promise<CommandResult> {
  const limit = seconds(factor());
  const script = [{ run, seconds: limit }];
  const { stdout } = await runner.run(containerOf(reference, script), {
    timeoutMs: Math.ceil((LIMIT_SECONDS.container * factor() + scriptSeconds(script)) * 1000),
    ...omitUndefined({ signal }),
  });
  return { ...(parseCommands(stdout)[0] ?? earlier), repeatedSeconds: limit };
}

function containerOf(reference: string, script: readonly ScriptedCommand[]): ContainerSpec {
  return {
    ...isolated(reference),
    tmpfs: [OUTPUT_FOLDER, '/run'],
    command: ['-c', commandScript(script, OUTPUT_FOLDER)],
  };
}

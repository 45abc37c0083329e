import type { BuildResult } from '#build';
import { omitUndefined } from '#core';
import type { BuildPlan } from '#plan';
import type { CommandContext } from '../command.ts';
import { buildTable } from '../report/build-table.ts';
import { EXIT, exitCodeFor } from '../report/exit-codes.ts';
import { plainReporter } from '../report/plain.ts';
import { terminalReporter } from '../report/terminal.ts';
import { buildPlan } from './build.ts';
import { interruptSignal } from './interrupt.ts';
import type { Project } from './project.ts';

/** Executes the plan of `ccp build` and prints the table. Resolves with the exit code. */
export async function runBuildCommand(
  project: Project,
  plan: BuildPlan,
  { output, flags }: CommandContext,
  build: BuildFlags,
): Promise<number> {
  const { signal, done } = interruptSignal(output.warn);
  const emit = output.terminal ? terminalReporter(output) : plainReporter(output);
  try {
    const built = await buildPlan(project, plan, {
      output,
      emit,
      signal,
      yes: flags.yes === true,
      noCache: !build.cache,
      rebuild: build.rebuild === true,
      offline: build.offline === true,
      ...omitUndefined({ jobs: build.jobs }),
      ...omitUndefined({ endpoints: build.engine }),
    });
    output.result(buildTable(built), built);
    const exitCode = exitCodeOfBuild(built.result);
    return exitCode === EXIT.done && built.setFault !== undefined
      ? (exitCodeFor(built.setFault.code) ?? EXIT.failed)
      : exitCode;
  } finally {
    done();
  }
}

/** The exit code of a build: `machine` or `input` if all failures are of that kind. */
export function exitCodeOfBuild({
  cancelled,
  complete,
  outcomes,
}: Pick<BuildResult, 'cancelled' | 'complete' | 'outcomes'>): number {
  if (cancelled) return EXIT.cancelled;
  if (complete) return EXIT.done;
  const codes = new Set(
    outcomes.flatMap((outcome) =>
      outcome.type === 'failed' ? exitCodeFor(outcome.fault.code) : [],
    ),
  );
  return (
    [EXIT.machine, EXIT.input].find((code) => codes.size === 1 && codes.has(code)) ?? EXIT.failed
  );
}

export interface BuildFlags {
  readonly engine?: readonly string[];
  readonly jobs?: number;
  readonly cache: boolean;
  readonly rebuild?: boolean;
  readonly offline?: boolean;
  readonly all?: boolean;
}

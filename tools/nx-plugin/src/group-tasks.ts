import { omitUndefined } from '#core';
import type { Task } from '@nx/devkit';

export interface GroupBuildOptions {
  readonly series?: string;
  readonly jobs?: number;
  readonly retest?: boolean;
}

/** Options as Nx passes them: it turns `--series=2025.2` into a number. */
export interface GivenOptions extends Omit<GroupBuildOptions, 'series'> {
  readonly series?: string | number;
}

/** The options with the series as text. */
export function normalOptions({ series, jobs, retest }: GivenOptions): GroupBuildOptions {
  const text = series === undefined ? undefined : String(series);
  return omitUndefined({ series: text, jobs, retest: retest === true ? true : undefined });
}

/** Tasks of a batch with equal options, which one run of `ccp build` can do. */
export interface TaskGroup {
  readonly options: GroupBuildOptions;
  readonly tasks: readonly Task[];
}

/**
 * Groups tasks by their options, in the order of `tasks`. `inputs` has the options by task id; a
 * task without an entry has no options.
 */
export function groupTasks(
  tasks: readonly Task[],
  inputs: Readonly<Record<string, GivenOptions>>,
): readonly TaskGroup[] {
  const groups = new Map<string, { readonly options: GroupBuildOptions; readonly tasks: Task[] }>();
  for (const task of tasks) {
    const options = normalOptions(inputs[task.id] ?? {});
    const key = JSON.stringify([options.series, options.jobs, options.retest]);
    const group = groups.get(key) ?? { options, tasks: [] };
    group.tasks.push(task);
    groups.set(key, group);
  }
  return [...groups.values()];
}

import type { Task } from '@nx/devkit';

export interface BuildOptions {
  readonly series?: string;
  readonly jobs?: number;
}

/** Tasks of a batch that one run of `ccp build` does: they have the same options. */
export interface TaskGroup {
  readonly options: BuildOptions;
  readonly tasks: readonly Task[];
}

/** The tasks by their options, which `inputs` has by the task's id (none where it has nothing); groups and tasks in their order. */
export function groupTasks(tasks: readonly Task[], inputs: Readonly<Record<string, BuildOptions>>): readonly TaskGroup[] {
  const groups = new Map<string, { readonly options: BuildOptions; readonly tasks: Task[] }>();
  for (const task of tasks) {
    const { series, jobs } = inputs[task.id] ?? {};
    const key = JSON.stringify([series, jobs]);
    const group = groups.get(key) ?? { options: { ...(series === undefined ? {} : { series }), ...(jobs === undefined ? {} : { jobs }) }, tasks: [] };
    group.tasks.push(task);
    groups.set(key, group);
  }
  return [...groups.values()];
}

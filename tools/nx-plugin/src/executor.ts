import type { ExecutorContext, TaskGraph } from '@nx/devkit';

export interface BuildOptions {
  readonly series?: string;
  readonly jobs?: number;
}

interface TaskResult {
  readonly success: boolean;
  readonly terminalOutput: string;
  readonly startTime?: number;
  readonly endTime?: number;
}

/** Builds one image and what it stands on; Nx calls it where it was told not to batch. */
export async function buildOne(options: BuildOptions, context: ExecutorContext): Promise<{ success: boolean }> {
  const { buildImages } = await import('#cli');
  const outcomes = await buildImages({ root: context.root, images: [String(context.projectName)], ...options });
  return { success: [...outcomes.values()].every(({ success }) => success) };
}

/** Builds all images of the batch in one run, so that the scheduler of `ccp build` orders them. One series per batch. */
export async function buildBatch(
  graph: TaskGraph,
  inputs: Readonly<Record<string, BuildOptions>>,
  _overrides: unknown,
  context: ExecutorContext,
): Promise<Record<string, TaskResult>> {
  const { buildImages } = await import('#cli');
  const tasks = Object.values(graph.tasks);
  const options = Object.values(inputs)[0] ?? {};
  const startTime = Date.now();
  const outcomes = await buildImages({ root: context.root, images: tasks.map((task) => task.target.project), ...options });
  return Object.fromEntries(
    tasks.map((task): [string, TaskResult] => {
      const outcome = outcomes.get(task.target.project) ?? { success: false, text: 'was not part of the run' };
      return [task.id, { success: outcome.success, terminalOutput: `${task.target.project}: ${outcome.text}\n`, startTime, endTime: Date.now() }];
    }),
  );
}

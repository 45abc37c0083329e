import type { ExecutorContext, TaskGraph } from '@nx/devkit';
import { CcpError } from '#core';
import { groupTasks, type BuildOptions, type TaskGroup } from './group-tasks.ts';

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

/** Builds the images of the batch, those of one series in one run, so that the scheduler of `ccp build` orders them. */
export async function buildBatch(
  graph: TaskGraph,
  inputs: Readonly<Record<string, BuildOptions>>,
  _overrides: unknown,
  context: ExecutorContext,
): Promise<Record<string, TaskResult>> {
  const results: Record<string, TaskResult> = {};
  for (const group of groupTasks(Object.values(graph.tasks), inputs)) Object.assign(results, await buildGroup(group, context.root));
  return results;
}

/** What ends a whole run (a stale lock, no engine) fails the tasks of its group, not those of the others. */
async function buildGroup({ options, tasks }: TaskGroup, root: string): Promise<Record<string, TaskResult>> {
  const { buildImages } = await import('#cli');
  const startTime = Date.now();
  const images = tasks.map((task) => task.target.project);
  const built = await buildImages({ root, images, ...options }).catch((thrown: unknown) => failureText(thrown));
  const resultOf = (image: string): Pick<TaskResult, 'success' | 'terminalOutput'> => {
    const { success, text } = typeof built === 'string' ? { success: false, text: built } : (built.get(image) ?? { success: false, text: 'was not part of the run' });
    return { success, terminalOutput: `${image}: ${text}\n` };
  };
  return Object.fromEntries(tasks.map((task): [string, TaskResult] => [task.id, { ...resultOf(task.target.project), startTime, endTime: Date.now() }]));
}

function failureText(thrown: unknown): string {
  if (!(thrown instanceof CcpError)) throw thrown;
  return `failed: ${thrown.message}${thrown.hint === undefined ? '' : ` (${thrown.hint})`}`;
}

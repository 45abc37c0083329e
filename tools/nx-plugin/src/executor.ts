import type { ExecutorContext, TaskGraph } from '@nx/devkit';
import { errorText } from '#core';
import { groupTasks, normalOptions, type GivenOptions, type TaskGroup } from './group-tasks.ts';

interface TaskResult {
  readonly success: boolean;
  readonly status: 'success' | 'failure' | 'skipped';
  readonly terminalOutput: string;
  readonly startTime: number;
  readonly endTime: number;
}

type Finished = Pick<TaskResult, 'status' | 'terminalOutput'>;

/** Builds one image and its ancestors. Nx calls this if batch mode is off. */
export async function buildOne(
  options: GivenOptions,
  context: ExecutorContext,
): Promise<{ success: boolean }> {
  const { buildImages } = await import('#cli');
  const image = String(context.projectName);
  const outcome = await buildImages({
    root: context.root,
    images: [image],
    ...normalOptions(options),
  }).then(
    (built) => built.get(image)!,
    (thrown: unknown) => ({ status: 'failure', text: errorText(thrown) }),
  );
  if (outcome.status !== 'success') process.stderr.write(`${outcome.text}\n`);
  return { success: outcome.status === 'success' };
}

/**
 * Builds the images of a batch, one run for each series, so that the scheduler of `ccp build` orders them. Results are
 * yielded one by one: Nx prints no output of tasks whose results are returned together.
 */
export async function* buildBatch(
  graph: TaskGraph,
  inputs: Readonly<Record<string, GivenOptions>>,
  _overrides: unknown,
  context: ExecutorContext,
): AsyncGenerator<{ readonly task: string; readonly result: TaskResult }> {
  for (const group of groupTasks(Object.values(graph.tasks), inputs)) {
    const startTime = Date.now();
    const finished = await buildGroup(group, graph, context.root);
    for (const [task, result] of finished)
      yield {
        task,
        result: { ...result, success: result.status === 'success', startTime, endTime: Date.now() },
      };
  }
}

/**
 * An error of the whole run (no engine, a full disk) fails the tasks without dependencies in the group; Nx skips the
 * other tasks.
 */
async function buildGroup(
  { options, tasks }: TaskGroup,
  { dependencies }: TaskGraph,
  root: string,
): Promise<[string, Finished][]> {
  const { buildImages } = await import('#cli');
  const images = tasks.map((task) => task.target.project);
  try {
    const built = await buildImages({ root, images, ...options });
    return tasks.map(({ id, target: { project } }) => {
      const { status, text } = built.get(project)!;
      return [id, { status, terminalOutput: `${text}\n` }];
    });
  } catch (thrown) {
    const ids = new Set(tasks.map(({ id }) => id));
    const first = tasks.filter(
      ({ id }) => !(dependencies[id] ?? []).some((other) => ids.has(other)),
    );
    return tasks.map((task) => [
      task.id,
      first.includes(task)
        ? { status: 'failure', terminalOutput: `${errorText(thrown)}\n` }
        : { status: 'skipped', terminalOutput: '' },
    ]);
  }
}

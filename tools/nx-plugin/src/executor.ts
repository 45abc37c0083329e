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

interface Finished extends Pick<TaskResult, 'status' | 'terminalOutput'> {
  /** Time of the image's own work, and its end. */
  readonly milliseconds: number;
  readonly endedAt?: number;
}

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
 * Builds the images of a batch, one run for each series, so that the scheduler of `ccp build`
 * orders them. Results are yielded one by one: Nx prints no output of tasks whose results are
 * returned together. A task's time is that of its own image, not of the run.
 */
export async function* buildBatch(
  graph: TaskGraph,
  inputs: Readonly<Record<string, GivenOptions>>,
  _overrides: unknown,
  context: ExecutorContext,
): AsyncGenerator<{ readonly task: string; readonly result: TaskResult }> {
  for (const group of groupTasks(Object.values(graph.tasks), inputs)) {
    const finished = await buildGroup(group, graph, context.root);
    for (const [task, { status, terminalOutput, milliseconds, endedAt }] of finished) {
      const endTime = endedAt ?? Date.now();
      const startTime = endTime - milliseconds;
      const success = status === 'success';
      yield { task, result: { status, terminalOutput, success, startTime, endTime } };
    }
  }
}

/**
 * An error of the whole run (no engine, a full disk) fails the tasks without dependencies in the
 * group; Nx skips the other tasks.
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
      const { text, ...outcome } = built.get(project)!;
      return [id, { ...outcome, terminalOutput: `${text}\n` }];
    });
  } catch (thrown) {
    const ids = new Set(tasks.map(({ id }) => id));
    const first = tasks.filter(
      ({ id }) => !(dependencies[id] ?? []).some((other) => ids.has(other)),
    );
    return tasks.map((task) => [
      task.id,
      first.includes(task)
        ? { status: 'failure', terminalOutput: `${errorText(thrown)}\n`, milliseconds: 0 }
        : { status: 'skipped', terminalOutput: '', milliseconds: 0 },
    ]);
  }
}

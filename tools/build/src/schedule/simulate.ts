import { followDependencies } from './dependencies.ts';
import { readyQueue } from './ready-queue.ts';
import { slotsOf } from './slots.ts';
import { remainingPaths, type Task } from './task.ts';

/** A task's times in a simulation, in seconds from the start. */
export interface SimulatedTask<Id extends string> {
  readonly id: Id;
  /** Index of the engine; absent for a task of 0 seconds, which needs no slot. */
  readonly engine?: number;
  readonly start: number;
  readonly end: number;
}

export interface Simulation<Id extends string> {
  /** Seconds from the start of the first task to the end of the last. */
  readonly makespan: number;
  /** In the order of their start times. */
  readonly tasks: readonly SimulatedTask<Id>[];
}

/**
 * The first ready task to start: with the longest remaining path, or ready for the longest time.
 */
export type SchedulingOrder = 'longest-path' | 'fifo';

/**
 * Simulates a run of tasks (parents first), with the scheduler of a real run. `slots` is the number
 * of parallel tasks per engine; `actual` returns a task's real seconds, by default its estimate.
 */
export function simulate<Id extends string>(
  tasks: readonly Task<Id>[],
  slots: readonly number[],
  order: SchedulingOrder = 'longest-path',
  actual: (task: Task<Id>) => number = ({ seconds }) => seconds,
): Simulation<Id> {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const paths = remainingPaths(tasks);
  const dependencies = followDependencies(tasks);
  const queue = readyQueue<Id>((id) => (order === 'fifo' ? 0 : paths.get(id)!));
  const places = slotsOf(slots);
  const running = new Set<RunningTask<Id>>();
  const done: SimulatedTask<Id>[] = [];
  let now = 0;
  const admit = (ids: readonly Id[]): void => {
    const admitted = [...ids];
    for (const id of admitted) {
      if (byId.get(id)!.seconds > 0) queue.push(id);
      else {
        done.push({ id, start: now, end: now });
        admitted.push(...dependencies.finish(id));
      }
    }
  };
  admit(dependencies.roots());
  while (queue.size > 0 || running.size > 0) {
    while (queue.size > 0) {
      const engine = places.take();
      if (engine === undefined) break;
      const id = queue.take()!;
      const started = { id, engine, start: now, end: now + actual(byId.get(id)!) };
      running.add(started);
      done.push(started);
    }
    const next = earliest(running);
    if (next === undefined) break;
    running.delete(next);
    places.release(next.engine);
    now = next.end;
    admit(dependencies.finish(next.id));
  }
  return { makespan: now, tasks: done };
}

type RunningTask<Id extends string> = Required<SimulatedTask<Id>>;

function earliest<Id extends string>(
  running: ReadonlySet<RunningTask<Id>>,
): RunningTask<Id> | undefined {
  let first: RunningTask<Id> | undefined;
  for (const task of running) if (first === undefined || task.end < first.end) first = task;
  return first;
}

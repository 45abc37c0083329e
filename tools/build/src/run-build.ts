import { CcpError, counted, type ImageName } from '#core';
import type { BuildPlan } from '#plan';
import { BuildRun } from './build-run.ts';
import { estimateDurations } from './estimate-durations.ts';
import { isStored } from './outcome.ts';
import { simulate } from './schedule/simulate.ts';
import { lowerBound, type Task } from './schedule/task.ts';
import type { BuildOptions, BuildPorts, BuildResult, EmitBuildEvent } from './types.ts';
import { NO_ENGINE_HINT } from './no-engine-hint.ts';

/**
 * Builds the images of a plan, longest remaining path first. Every image gets an outcome: a failed
 * image blocks its descendants, and all others are finished. After an abort it resolves within 2 s,
 * with unfinished images `cancelled`; the next run of the plan continues from there. Throws
 * `plan-invalid` if a parent is not in the plan, `no-engine` if an image must be built without
 * engines.
 */
export async function runBuild(
  plan: BuildPlan,
  ports: BuildPorts,
  options: BuildOptions,
  emit: EmitBuildEvent,
  signal: AbortSignal,
): Promise<BuildResult> {
  const { clock, durations } = ports;
  const tasks = tasksOf(plan, ports);
  const build = plan.images.filter(({ action }) => action === 'build');
  const slots = slotCount(ports, options);
  if (slots < 1 && build.length > 0) {
    throw new CcpError({
      code: 'no-engine',
      message: `no engine is available to build ${counted(build.length, 'image')}`,
      hint: NO_ENGINE_HINT,
    });
  }
  const start = clock.now();
  emit({
    type: 'run-started',
    at: start,
    total: plan.images.length,
    build: build.length,
    slots,
    estimate: slots < 1 ? 0 : simulate(tasks, [slots]).makespan,
    criticalPath: lowerBound(tasks, 1).criticalPath,
    unlocked: build.filter(({ record }) => record.unlocked).map(({ image }) => image),
  });
  const run = new BuildRun(plan, tasks, slots, ports, options, emit, signal);
  await run.toTheEnd();
  await durations.save();
  const outcomes = plan.images.map(({ image }) => run.outcomes.get(image)!);
  const result: BuildResult = {
    series: plan.series,
    platform: plan.platform,
    outcomes,
    complete: outcomes.every(isStored),
    cancelled: outcomes.some(({ type }) => type === 'cancelled'),
    seconds: (clock.now() - start) / 1000,
  };
  emit({ type: 'run-finished', at: clock.now(), result });
  return result;
}

/** Images as tasks with estimated seconds; reused images take no time. */
function tasksOf({ images }: BuildPlan, { durations }: BuildPorts): readonly Task<ImageName>[] {
  const seen = new Set<ImageName>();
  const names = images.map(({ image }) => image);
  const seconds = estimateDurations(names, durations);
  return images.map(({ image, parents, action }) => {
    const needed = Object.values(parents);
    const missing = needed.find((parent) => !seen.has(parent));
    if (missing !== undefined) {
      throw new CcpError({
        code: 'plan-invalid',
        message: `the plan does not list ${missing}, a parent of ${image}, before ${image}`,
        hint: 'create the plan again with `ccp plan`',
      });
    }
    seen.add(image);
    return {
      id: image,
      parents: needed,
      seconds: action === 'reuse' ? 0 : seconds.get(image)!.seconds,
    };
  });
}

function slotCount({ engines }: BuildPorts, { jobs }: BuildOptions): number {
  const all = engines.reduce((sum, { slots }) => sum + slots, 0);
  return Math.min(all, Math.max(jobs ?? Infinity, 1));
}

import type { KubernetesObject, RunningContainer } from '#ports';
import type { Step } from '#site';
import type { PodPlace, PodRunner } from './pod-runner.ts';

/**
 * Runs the steps of a site in the order of their dependencies, with workloads in the place that
 * `placeOf` returns. Resolves with the first pod of each workload by object name.
 */
export async function runSiteSteps(
  steps: readonly Step[],
  pods: PodRunner,
  placeOf: (object: KubernetesObject) => Partial<PodPlace> = () => ({}),
): Promise<ReadonlyMap<string, RunningContainer>> {
  const running = new Map<string, RunningContainer>();
  const done = new Map<string, Promise<void>>();
  const run = async ({ waitsFor, objects }: Step): Promise<void> => {
    await Promise.all(waitsFor.flatMap((id) => done.get(id) ?? []));
    for (const object of objects) {
      // Schedules do not start here: a test runs their jobs.
      if (object.kind === 'CronJob') continue;
      if (object.kind === 'Job') await pods.finish(object);
      else running.set(object.metadata.name, await pods.start(object, placeOf(object)));
    }
  };
  for (const step of steps) done.set(step.id, run(step));
  const failed = (await Promise.allSettled(done.values())).find(
    (result) => result.status === 'rejected',
  );
  if (failed !== undefined) throw failed.reason;
  return running;
}

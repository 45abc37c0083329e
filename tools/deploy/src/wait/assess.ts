import type { LiveObject } from '#ports';
import { assessDaemonSet } from './assess-daemon-set.ts';
import { assessDeployment } from './assess-deployment.ts';
import { assessJob } from './assess-job.ts';
import { assessStatefulSet } from './assess-stateful-set.ts';
import { DONE, progressing, type Assessment } from './assessment.ts';

const BY_KIND: Readonly<Record<string, (object: LiveObject) => Assessment>> = {
  DaemonSet: assessDaemonSet,
  Deployment: assessDeployment,
  Job: assessJob,
  StatefulSet: assessStatefulSet,
};

/** How far an object is. Kinds without a controller of ours to wait for are done when they are there. */
export function assess(object: LiveObject): Assessment {
  if (object.metadata.deletionTimestamp !== undefined) return progressing('it is being deleted');
  return BY_KIND[object.kind]?.(object) ?? DONE;
}

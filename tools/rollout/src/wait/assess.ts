import type { LiveObject } from '#ports';
import { assessCertificate, assessGateway } from './assess-conditions.ts';
import { assessDaemonSet } from './assess-daemon-set.ts';
import { assessDeployment } from './assess-deployment.ts';
import { assessJob } from './assess-job.ts';
import { assessRoute } from './assess-route.ts';
import { assessStatefulSet } from './assess-stateful-set.ts';
import { DONE, progressing, type Assessment } from './assessment.ts';

const BY_KIND: Readonly<Record<string, (object: LiveObject) => Assessment>> = {
  Certificate: assessCertificate,
  DaemonSet: assessDaemonSet,
  Deployment: assessDeployment,
  Gateway: assessGateway,
  HTTPRoute: assessRoute,
  Job: assessJob,
  StatefulSet: assessStatefulSet,
};

/**
 * The progress of an object. Kinds without a useful status, for example an Ingress, are done when
 * they exist.
 */
export function assess(object: LiveObject): Assessment {
  if (object.metadata.deletionTimestamp !== undefined) return progressing('it is being deleted');
  return BY_KIND[object.kind]?.(object) ?? DONE;
}

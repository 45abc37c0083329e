import type { JobContainer } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { PodSpec } from '../model/kubernetes.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';
import type { SiteInput } from '../model/types.ts';
import { renderPod } from './pod.ts';
import type { InstanceInput } from './workload.ts';

const DEFAULT_TIMEOUT = 900;

/** A job of an app: the Job's name ends in the hash of its pod, since a Job's template can never be changed. */
export function renderJob(
  of: InstanceInput,
  job: {
    readonly name: string;
    readonly component: string;
    readonly role: string;
    readonly path: readonly string[];
    readonly spec: JobContainer;
  },
): KubernetesObject {
  const pod = renderPod({
    ...of,
    role: job.role,
    volumes: job.spec.volumes ?? {},
    containers: { [job.component]: { spec: job.spec, path: job.path } },
  });
  return jobObject(of.input.site, {
    name: job.name,
    labels: podLabels(of.instance, job.component),
    pod,
    timeout: job.spec.timeout ?? DEFAULT_TIMEOUT,
  });
}

/** A Job around a pod that runs to its end. */
export function jobObject(
  site: SiteInput['site'],
  job: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly pod: PodSpec;
    readonly timeout: number;
  },
): KubernetesObject {
  const spec = {
    backoffLimit: 6,
    activeDeadlineSeconds: job.timeout,
    template: { metadata: { labels: job.labels }, spec: { ...job.pod, restartPolicy: 'Never' } },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${job.name}-${contentHash(spec)}`,
      namespace: site.namespace,
      labels: { ...siteLabels(site), ...job.labels },
    },
    spec,
  };
}

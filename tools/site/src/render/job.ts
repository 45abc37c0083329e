import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { BoundPod, Work } from '../model/bound.ts';
import type { PodSpec } from '../model/kubernetes.ts';
import { contentHash, podLabels, siteLabels } from '../model/labels.ts';
import { renderPod } from './pod.ts';
import type { InstanceInput } from './instance-input.ts';

const DEFAULT_TIMEOUT = 900;

/**
 * Renders a job of an app. The name of the Job ends in the hash of its pod, since the template of a
 * Job cannot be changed.
 */
export function renderJob(
  of: InstanceInput,
  job: Omit<Extract<Work<BoundPod>, { readonly kind: 'job' }>, 'kind'>,
): KubernetesObject {
  const pod = renderPod({
    ...job.pod,
    site: of.site,
    files: of.files,
    role: job.role,
    volumes: job.spec.volumes ?? {},
  });
  return jobObject(of.site, {
    name: job.name,
    labels: podLabels(of.instance, job.component),
    pod,
    timeout: job.spec.timeout ?? DEFAULT_TIMEOUT,
  });
}

/** A Job around a pod that runs to its end. */
export function jobObject(
  site: Site,
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

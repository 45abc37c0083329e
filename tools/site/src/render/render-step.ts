import type { KubernetesObject } from '#ports';
import type { Bound, BoundStep } from '../model/bound.ts';
import { publicEndpoints, type PublicEndpoint } from '../model/public-endpoints.ts';
import { renderCertificate } from './expose/render-certificate.ts';
import { renderGateway } from './expose/render-gateway.ts';
import { renderIngress } from './expose/render-ingress.ts';
import { renderRoutes } from './expose/render-route.ts';
import type { InstanceInput } from './instance-input.ts';
import { actionsOf, renderSchedule } from './render-actions.ts';
import { renderJob } from './job.ts';
import { renderSecretsJob } from './secrets-job.ts';
import { renderWorkload } from './workload.ts';

/** The objects of a step. */
export function renderStep(
  { work }: BoundStep,
  bound: Bound,
  inputs: ReadonlyMap<string, InstanceInput>,
): readonly KubernetesObject[] {
  const { site, instances } = bound;
  switch (work.kind) {
    case 'secrets':
      return [renderSecretsJob(bound).job];
    case 'job':
      return [renderJob(inputs.get(work.pod.instance.name)!, work)];
    case 'workload': {
      const of = inputs.get(work.pod.instance.name)!;
      return [renderWorkload(of, work.name, work.workload, work.pod)];
    }
    case 'schedule': {
      const of = inputs.get(work.instance)!;
      return [renderSchedule(of, work.name, actionsOf(bound, of))];
    }
    case 'certificate':
      return [renderCertificate(work.secret, publicEndpoints(site, instances), site)];
    case 'gateway':
      return [renderGateway(work.gateway, publicEndpoints(site, instances), site)];
    case 'endpoint':
      return renderEndpoint(work.endpoint, bound);
  }
}

function renderEndpoint(
  endpoint: PublicEndpoint,
  { site }: Pick<Bound, 'site'>,
): readonly KubernetesObject[] {
  const { ingress, gateway } = site.expose!;
  return gateway === undefined
    ? [renderIngress(endpoint, ingress ?? {}, site)]
    : renderRoutes(endpoint, gateway, site);
}

import type { KubernetesObject } from '#ports';
import { contentHash, siteLabels } from '../model/labels.ts';
import type { RenderedSite, Step } from '../model/types.ts';
import { API_SERVER } from '../render/egress-policy.ts';
import { inOrder } from '../render/foundation.ts';
import { gateAccess, isEgressOf, type WaitingAccount } from './gate-access.ts';
import {
  CONTENT,
  JOB_LABEL,
  jobBaseName,
  namespaceOf,
  type GateCondition,
} from './gate-condition.ts';
import { GATE_SECONDS, gatedPod, type GatedPod } from './gated-pod.ts';
import { stepConditions } from './step-conditions.ts';

interface PodTemplate {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: GatedPod;
}

interface JobSpec {
  readonly activeDeadlineSeconds: number;
  readonly template: PodTemplate;
}

/**
 * A site whose pods wait for the steps before them by themselves: each pod has an init container
 * with the conditions that `deploy apply` waits for. So its objects can be applied all at once and
 * in any order. The names of Jobs change with their gates.
 */
export function addGates(
  rendered: RenderedSite,
  site: { readonly name: string; readonly namespace: string },
  image: string,
): RenderedSite {
  const account = `ccp-${site.name}-gate`;
  const done = new Map<string, Step>();
  const conditions: GateCondition[] = [];
  const accounts: WaitingAccount[] = [];
  const instances = new Set<string>();
  const steps = rendered.steps.map((step) => {
    const own = stepConditions(step, done, rendered.foundation);
    const gate = (object: KubernetesObject, template: PodTemplate): PodTemplate => {
      if (own.length === 0) return template;
      const spec = gatedPod(template.spec, { image, account, conditions: own });
      const namespace = namespaceOf(object);
      conditions.push(...own);
      accounts.push({ namespace, name: spec.serviceAccountName });
      instances.add(`${namespace}/${template.metadata?.labels?.['app.kubernetes.io/instance']}`);
      return { ...template, spec };
    };
    const gated = { ...step, objects: step.objects.map((object) => gatedObject(object, gate)) };
    done.set(step.id, gated);
    return gated;
  });
  const foundation = rendered.foundation.map((object) =>
    isEgressOf(object, instances) ? withApiServer(object) : object,
  );
  const access = gateAccess(account, siteLabels(site), conditions, accounts);
  return { ...rendered, foundation: inOrder([...foundation, ...access]), steps };
}

type Gate = (object: KubernetesObject, template: PodTemplate) => PodTemplate;

function gatedObject(object: KubernetesObject, gate: Gate): KubernetesObject {
  const spec = object['spec'] as unknown;
  switch (object.kind) {
    case 'Job': {
      const gated = gatedJob(object, spec as JobSpec, gate);
      const base = jobBaseName(object);
      const { metadata } = object;
      return {
        ...object,
        metadata: {
          ...metadata,
          name: `${base}-${contentHash(gated)}`,
          labels: { ...metadata.labels, [JOB_LABEL]: base },
        },
        spec: gated,
      };
    }
    case 'CronJob': {
      const { jobTemplate, ...rest } = spec as { readonly jobTemplate: { readonly spec: JobSpec } };
      const gated = gatedJob(object, jobTemplate.spec, gate);
      return { ...object, spec: { ...rest, jobTemplate: { ...jobTemplate, spec: gated } } };
    }
    case 'Deployment':
    case 'StatefulSet':
    case 'DaemonSet': {
      const { template, ...rest } = spec as { readonly template: PodTemplate };
      const gated = { ...rest, template: gate(object, template) };
      const { replicas: _, ...content } = gated as typeof gated & { readonly replicas?: number };
      const annotations = { ...object.metadata.annotations, [CONTENT]: contentHash(content) };
      return { ...object, metadata: { ...object.metadata, annotations }, spec: gated };
    }
    default:
      return object;
  }
}

/** A Job has the time that its gate waits in addition to its own. */
function gatedJob(object: KubernetesObject, spec: JobSpec, gate: Gate): JobSpec {
  const template = gate(object, spec.template);
  if (template === spec.template) return spec;
  const { activeDeadlineSeconds } = spec;
  return { ...spec, activeDeadlineSeconds: activeDeadlineSeconds + GATE_SECONDS, template };
}

function withApiServer(object: KubernetesObject): KubernetesObject {
  const spec = object['spec'] as { readonly egress: readonly object[] };
  const isOpen = spec.egress.some(
    (rule) => Object.keys(rule).length === 0 || JSON.stringify(rule) === JSON.stringify(API_SERVER),
  );
  return isOpen ? object : { ...object, spec: { ...spec, egress: [...spec.egress, API_SERVER] } };
}

import { allTogether, CcpError, throwFindings } from '#core';
import type { KubernetesObject } from '#ports';
import { renderActions, renderSchedules } from './actions/render-actions.ts';
import { renderConfigMaps } from './config-maps.ts';
import { renderDisruptionBudget } from './disruption-budget.ts';
import { exposeSteps } from './expose/expose-steps.ts';
import { manyMissing } from './images-of.ts';
import { instanceSteps, SECRETS_STEP } from './instance-steps.ts';
import { bindInstances } from './instances.ts';
import { renderApplySet, renderNamespace, renderServiceAccount } from './namespace.ts';
import { denyIngress, renderNetworkPolicy } from './network-policy.ts';
import { raisedOnce } from './raised-once.ts';
import { scopeOf } from './scope.ts';
import { secretRequests } from './secret-requests.ts';
import { renderSecretsJob } from './secrets-job.ts';
import { renderServices } from './services.ts';
import { orderSteps, type PlannedStep } from './steps.ts';
import type { RenderedSite, SiteInput } from './types.ts';
import { checkConflicts } from './validate/check-conflicts.ts';
import type { InstanceInput } from './workload.ts';

const FOUNDATION_ORDER = [
  'Namespace',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Service',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'CronJob',
];

/**
 * A site as Kubernetes objects: pure, same input, same bytes. Secrets stand in it as references only. Raises together, each with file and
 * line, what `bindInstances` finds, `site-series` where the image set is of another series, `image-missing`, and what the renderers of
 * files and pods raise; then `deploy-cycle`, and objects of one name.
 */
export function layOutSite(input: SiteInput): RenderedSite {
  const { site } = input;
  const { instances, findings: unbound } = bindInstances(input);
  const findings = [...checkSeries(input), ...unbound, ...manyMissing(input, instances.values())];
  const runtimeFiles = new Map<string, KubernetesObject>();
  const inputs = new Map(
    [...instances].map(([name, instance]): [string, InstanceInput] => {
      const scope = scopeOf(instance, instances, site);
      const groupFiles = new Map(
        Object.keys(instance.settings.nodes ?? {}).map((group) => [group, renderConfigMaps(instance, scope, site, findings, group)] as const),
      );
      return [name, { input, instance, instances, scope, runtimeFiles, files: renderConfigMaps(instance, scope, site, findings), groupFiles }];
    }),
  );
  const secrets = secretRequests(instances);
  const eachInstance =
    <T>(render: (of: InstanceInput) => readonly T[]) =>
    (): readonly T[] =>
      allTogether([...inputs.values()].map((of) => () => render(of))).flat();
  const [secretsJob, perInstance, ofInstances, actions, ofExpose] = raisedOnce(findings, [
    () => renderSecretsJob(input, secrets),
    eachInstance(renderFoundation),
    eachInstance(({ instance }) => instanceSteps(instance, inputs)),
    eachInstance(renderActions),
    () => (unbound.length > 0 ? [] : exposeSteps(site, instances)),
  ]);
  const secretsStep: PlannedStep = { id: SECRETS_STEP, phase: 'secrets', waitsFor: [], objects: [secretsJob.job] };
  const steps = orderSteps([secretsStep, ...ofInstances, ...ofExpose]);
  const unordered = [
    renderNamespace(site, [...perInstance, ...steps.flatMap(({ objects }) => objects), ...actions.map(({ job }) => job)]),
    ...secretsJob.foundation,
    ...perInstance,
    ...runtimeFiles.values(),
    denyIngress(site, instances),
  ];
  const members = [...unordered.filter(({ kind }) => kind !== 'PersistentVolumeClaim'), ...steps.flatMap(({ objects }) => objects)];
  const foundation = inOrder([...unordered, renderApplySet(site, members)]);
  const all = [...foundation, ...steps.flatMap(({ objects }) => objects)];
  refuseDuplicates(all, site);
  throwFindings(checkConflicts(site, all));
  return { foundation, steps, secrets, actions: [...actions].sort((a, b) => (a.id < b.id ? -1 : 1)) };
}

/** The objects of a site in the order they are applied. Errors as of `layOutSite`. */
export function renderSite(input: SiteInput): readonly KubernetesObject[] {
  const { foundation, steps } = layOutSite(input);
  return [...foundation, ...steps.flatMap(({ objects }) => objects)];
}

/** What of an instance is no step. */
function renderFoundation(of: InstanceInput): KubernetesObject[] {
  const {
    input: { site },
    instance,
    instances,
  } = of;
  const workloads = Object.entries(instance.spec.workloads).flatMap(([name, workload]) => [
    ...renderServices(of, name, workload),
    ...(workload.kind === 'DaemonSet' ? [] : [renderDisruptionBudget(of, name, workload)]),
    renderNetworkPolicy(of, name, workload, instances),
  ]);
  return [renderServiceAccount(site, instance), ...filesOf(of), ...workloads, ...renderSchedules(of)];
}

function checkSeries({ site, imageSet }: SiteInput): CcpError[] {
  if (imageSet.series === site.series) return [];
  const message = `the site "${site.name}" runs series ${site.series}, the image set is of ${imageSet.series}`;
  return [new CcpError({ code: 'site-series', message, hint: `build it: ccp build --series ${site.series}`, at: site.position(['series']) })];
}

/** Every ConfigMap of an instance once: groups of nodes share those that are the same. */
function filesOf({ files, groupFiles }: InstanceInput): KubernetesObject[] {
  const all = [files, ...groupFiles.values()].flatMap((each) => [...each.values()]);
  return [...new Map(all.map(({ object }) => [object.metadata.name, object])).values()];
}

function inOrder(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const rank = ({ kind }: KubernetesObject): number => FOUNDATION_ORDER.indexOf(kind);
  return [...objects].sort((a, b) => rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
}

function refuseDuplicates(objects: readonly KubernetesObject[], site: SiteInput['site']): void {
  const seen = new Set<string>();
  const findings: CcpError[] = [];
  for (const { kind, metadata } of objects) {
    const key = `${kind} "${metadata.name}"`;
    if (seen.has(key)) {
      findings.push(
        new CcpError({
          code: 'site-invalid',
          message: `two instances would make the ${key}`,
          hint: 'give one of them another name',
          at: site.position(['apps']),
        }),
      );
    }
    seen.add(key);
  }
  throwFindings(findings);
}

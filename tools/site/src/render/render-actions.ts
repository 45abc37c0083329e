import { collectErrors } from '#core';
import type { Action, Check } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from '../model/labels.ts';
import type { RenderedAction } from '../model/types.ts';
import { withValues } from './parameters.ts';
import { renderPod } from './pod.ts';
import { claimSpec, type InstanceInput } from './workload.ts';

/** Label of every Job that a run of an action makes; its value is the site. */
export const ACTION_LABEL = 'ccp.openstack.org/action-of';

const DEFAULT_TIMEOUT = 900;
/** Seconds that the Job of an ended run stays, with its pod's output. */
const KEPT = 86_400;

/** The actions and checks of an instance, with the image and the configuration of now. Raises what `renderPod` raises of all of them together. */
export function renderActions(of: InstanceInput): RenderedAction[] {
  const { actions = {}, checks = {} } = of.instance.spec;
  return collectErrors([
    ...Object.entries(actions).map(
      ([name, action]) =>
        () =>
          renderAction(of, { name, kind: 'action', action }),
    ),
    ...Object.entries(checks).map(
      ([name, action]) =>
        () =>
          renderAction(of, { name, kind: 'check', action }),
    ),
  ]);
}

/** The CronJobs of an instance's schedules that the site has, and the claims they need. */
export function renderSchedules(of: InstanceInput): KubernetesObject[] {
  const { site } = of.input;
  const { spec, settings, name } = of.instance;
  const objects = Object.entries(spec.schedule ?? {}).flatMap(
    ([key, schedule]): KubernetesObject[] => {
      const { enabled, cron } = { ...schedule, ...settings.schedule?.[key] };
      if (!enabled) return [];
      const action = renderAction(of, {
        name: schedule.action,
        kind: 'action',
        action: spec.actions![schedule.action]!,
      });
      const { metadata, spec: job } = withValues(
        action.job,
        action.parameters,
        schedule.parameters ?? {},
      );
      const labels = { ...siteLabels(site), ...podLabels(of.instance, `schedule-${key}`) };
      const cronJob = {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        metadata: { name: `${name}-${key}`, namespace: site.namespace, labels },
        spec: {
          schedule: cron,
          timeZone: 'Etc/UTC',
          concurrencyPolicy: 'Forbid',
          successfulJobsHistoryLimit: 3,
          failedJobsHistoryLimit: 3,
          jobTemplate: { metadata: { labels: metadata.labels }, spec: job },
        },
      };
      return [...action.claims, cronJob];
    },
  );
  return [
    ...new Map(
      objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]),
    ).values(),
  ];
}

function renderAction(
  of: InstanceInput,
  {
    name,
    kind,
    action,
  }: {
    readonly name: string;
    readonly kind: RenderedAction['kind'];
    readonly action: Action | Check;
  },
): RenderedAction {
  const {
    input: { site },
    instance,
  } = of;
  const parameters = 'parameters' in action ? (action.parameters ?? {}) : {};
  const facts = new Map(of.scope.facts);
  for (const parameter of Object.keys(parameters))
    facts.set(`parameters.${parameter}`, [{ parameter }]);
  const pod = renderPod({
    ...of,
    scope: { ...of.scope, facts },
    role: action.role,
    volumes: action.volumes ?? {},
    containers: { [name]: { spec: action, path: [kind === 'check' ? 'checks' : 'actions', name] } },
  });
  const labels = podLabels(instance, `${kind}-${name}`);
  const own = {
    'app.kubernetes.io/part-of': site.name,
    'app.kubernetes.io/managed-by': 'ccp',
    [ACTION_LABEL]: site.name,
  };
  const shared = [
    ...new Set(Object.values(action.volumes ?? {}).flatMap((volume) => volume.shared ?? [])),
  ];
  return {
    id: `${instance.name}/${name}`,
    kind,
    description: action.description,
    parameters,
    claims: shared.map((claim) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name: `${instance.name}-${claim}`,
        namespace: site.namespace,
        labels: {
          ...podLabels(instance, `claim-${claim}`),
          'app.kubernetes.io/part-of': site.name,
          'app.kubernetes.io/managed-by': 'ccp',
        },
      },
      spec: claimSpec(site, instance.spec.claims![claim]!),
    })),
    job: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {
        name: `${instance.name}-${name}`,
        namespace: site.namespace,
        labels: { ...own, ...labels },
      },
      // A person or the schedule decides whether it is tried again: half an action may have been done.
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: action.timeout ?? DEFAULT_TIMEOUT,
        ttlSecondsAfterFinished: KEPT,
        template: { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } },
      },
    },
  };
}

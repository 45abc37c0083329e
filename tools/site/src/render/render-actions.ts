import { omitUndefined } from '#core';
import type { Action } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Bound, BoundAction } from '../model/bound.ts';
import { enabledSchedules } from '../model/enabled-schedules.ts';
import { podLabels, siteLabels } from '../model/labels.ts';
import { objectName } from '../model/names.ts';
import { keyOf, type ObjectKey } from '../model/object-key.ts';
import type { RenderedAction } from '../model/types.ts';
import type { InstanceInput } from './instance-input.ts';
import { withValues } from './parameters.ts';
import { renderPod } from './pod.ts';
import { rotationAccount } from './rotation-access.ts';
import { claimSpec } from './workload.ts';

/** Label of the Jobs of actions; its value is the site. */
export const ACTION_LABEL = 'ccp.openstack.org/action-of';

const DEFAULT_TIMEOUT = 900;
/** Seconds that the Job of an ended run stays, with its pod's output. */
const KEPT = 86_400;

/** The actions and checks of an instance. */
export function actionsOf(
  { actions }: Pick<Bound, 'actions'>,
  { instance }: Pick<InstanceInput, 'instance'>,
): readonly BoundAction[] {
  return actions.filter(({ pod }) => pod.instance === instance);
}

/** Renders the claims that the enabled schedules of an instance need, each once. */
export function scheduleClaims(
  of: InstanceInput,
  actions: readonly BoundAction[],
): KubernetesObject[] {
  const claims = enabledSchedules(of.instance).flatMap(
    (key) => scheduledAction(of, key, actions).claims,
  );
  return [...new Map(claims.map((claim) => [keyOf(claim, of.site), claim])).values()];
}

/** Renders the CronJob of a schedule. */
export function renderSchedule(
  of: InstanceInput,
  key: string,
  actions: readonly BoundAction[],
): KubernetesObject {
  const { site } = of;
  const { spec, settings, name } = of.instance;
  const schedule = { ...spec.schedule![key]!, ...settings.schedule?.[key] };
  const action = scheduledAction(of, key, actions);
  const { metadata, spec: job } = withValues(
    action.job,
    action.parameters,
    schedule.parameters ?? {},
  );
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: `${name}-${key}`,
      namespace: site.namespace,
      labels: { ...siteLabels(site), ...podLabels(of.instance, `schedule-${key}`) },
    },
    spec: {
      schedule: schedule.cron,
      timeZone: 'Etc/UTC',
      concurrencyPolicy: 'Forbid',
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: { metadata: { labels: metadata.labels }, spec: job },
    },
  };
}

/** The action of a schedule, among the actions of its instance. */
function scheduledAction(
  of: InstanceInput,
  key: string,
  actions: readonly BoundAction[],
): RenderedAction {
  const wanted = of.instance.spec.schedule![key]!.action;
  return renderAction(
    of,
    actions.find(({ kind, name }) => kind === 'action' && name === wanted)!,
  );
}

/** Renders an action or check with the image and the configuration of the site. */
export function renderAction(
  { site, instance, files }: InstanceInput,
  { name, kind, action, pod: bound }: BoundAction,
  stops: (instance: string, workload: string) => readonly ObjectKey[] = () => [],
): RenderedAction {
  const { parameters = {}, replaces, precheck, maxAge, rotates }: Partial<Action> = action;
  const pod = renderPod({
    ...bound,
    site,
    files,
    role: action.role,
    volumes: action.volumes ?? {},
    account: rotates === undefined ? undefined : rotationAccount(instance, name),
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
  const replaced =
    replaces === undefined
      ? {}
      : {
          replaces: `StatefulSet/${objectName(instance, replaces)}` satisfies ObjectKey,
          stops: stops(instance.name, replaces),
          ...(precheck === undefined ? {} : { precheck: `${instance.name}/${precheck}` }),
        };
  return {
    id: `${instance.name}/${name}`,
    kind,
    description: action.description,
    parameters,
    ...replaced,
    ...omitUndefined({ maxAge }),
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
      // A failed action may be half done, so a person or the schedule decides whether to run it
      // again.
      spec: {
        backoffLimit: 0,
        activeDeadlineSeconds: action.timeout ?? DEFAULT_TIMEOUT,
        ttlSecondsAfterFinished: KEPT,
        template: { metadata: { labels }, spec: { ...pod, restartPolicy: 'Never' } },
      },
    },
  };
}

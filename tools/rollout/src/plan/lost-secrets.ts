import { omitUndefined } from '#core';
import { asKind, type KubernetesObject, type LiveObject } from '#ports';
import { keyOf, type RenderedSite } from '#site';
import type { LiveState } from '../live/live-state.ts';
import { SETTING_PHASES } from '../record/ledger.ts';
import { assess } from '../wait/assess.ts';
import { isFinished, type Pod } from '../wait/pod.ts';
import { secretsOf } from './secrets-of.ts';
import type { LostSecrets } from './types.ts';

/**
 * The missing Secrets of a site that something has already used: the Jobs that apply their values
 * must run again, and pods that use them must restart, since the new values differ. A missing copy
 * in another namespace gets the same values, so only the Job that makes it runs again. `undefined`
 * if no Secret is missing, or if this account may not list Secrets.
 */
export function lostSecrets(rendered: RenderedSite, live: LiveState): LostSecrets | undefined {
  const { secrets: there } = live;
  if (there === undefined) return undefined;
  const { home } = live;
  const gone = new Set(
    rendered.secrets.map(({ name }) => name).filter((name) => !there.has(`Secret/${name}`)),
  );
  const copies = rendered.secrets.flatMap(({ name, copies: others = [] }) =>
    others.map((namespace) => `${namespace}/${name}`).filter((key) => !there.has(`Secret/${key}`)),
  );
  if (gone.size === 0 && copies.length === 0) return undefined;
  const uses = (pod: unknown): boolean => secretsOf(pod).some((name) => gone.has(name));
  const ran = (job: KubernetesObject): boolean => {
    const found = live.objects.get(keyOf(job, home));
    return (
      live.ledger[job.metadata.name] !== undefined ||
      (found !== undefined && assess(found).state === 'done')
    );
  };
  const jobs = rendered.steps.flatMap((step) =>
    step.objects.filter(
      (object) =>
        object.kind === 'Job' &&
        (step.phase === 'secrets' ||
          (SETTING_PHASES.has(step.phase) && uses(templateOf(object)))) &&
        ran(object),
    ),
  );
  const pods = (live.pods as readonly Pod[]).filter(
    (pod) => !isFinished(pod) && !isOfJob(pod) && uses(pod.spec),
  );
  if (jobs.length === 0 && pods.length === 0) return undefined;
  const outdated = rendered.secrets
    .filter(({ name }) => gone.has(name))
    .flatMap(({ name, copies: others = [] }) => others.map((namespace) => `${namespace}/${name}`))
    .filter((key) => there.has(`Secret/${key}`));
  return {
    names: [...gone, ...copies].sort(),
    jobs: jobs.map(({ metadata }) => metadata.name),
    pods: pods.map(({ metadata: { name, uid, namespace } }) => ({
      name,
      uid,
      ...omitUndefined({ namespace: namespace === home.namespace ? undefined : namespace }),
    })),
    ...(outdated.length === 0 ? {} : { copies: outdated.sort() }),
  };
}

/** The state as if these Jobs had not run. */
export function withoutRuns(live: LiveState, jobs: readonly string[]): LiveState {
  return {
    ...live,
    objects: new Map(
      [...live.objects].filter(
        ([, { kind, metadata }]) => kind !== 'Job' || !jobs.includes(metadata.name),
      ),
    ),
    ledger: Object.fromEntries(Object.entries(live.ledger).filter(([job]) => !jobs.includes(job))),
  };
}

function templateOf(object: KubernetesObject): unknown {
  return asKind('Workload', object).spec?.template?.spec;
}

function isOfJob({ metadata }: LiveObject): boolean {
  return metadata.ownerReferences?.some(({ kind }) => kind === 'Job') === true;
}

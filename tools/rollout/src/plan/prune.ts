import type { KubernetesObject, LiveObject } from '#ports';
import { keyOf, kindOfKey, type Home, type ObjectKey, type RenderedSite, type Step } from '#site';
import type { LiveState } from '../live/live-state.ts';
import { assess } from '../wait/assess.ts';
import { configMapsOf, isFinished, samePart, type Pod } from '../wait/pod.ts';
import { movedIn, moveReason } from './moves.ts';
import type { DeployPlan, PrunedObject } from './types.ts';

/**
 * The order of deletion: first routes to pods, then workloads, then the objects that pods use.
 */
const ORDER = [
  'Ingress',
  'HTTPRoute',
  'Gateway',
  'Certificate',
  'CronJob',
  'Job',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'PodDisruptionBudget',
  'Service',
  'NetworkPolicy',
  'ConfigMap',
  'RoleBinding',
  'Role',
  'ServiceAccount',
];

export interface Pruning extends Pick<DeployPlan, 'prune' | 'keep'> {
  /**
   * Step -> unfinished Jobs of an earlier version of it, and its workloads in another namespace.
   */
  readonly superseded: ReadonlyMap<string, readonly PrunedObject[]>;
}

/**
 * Members of the site's ApplySet that are no longer rendered. A ConfigMap stays while a pod uses
 * it that is not about to be replaced; claims and Secrets always stay. `replaced` are the
 * workloads whose pods will be replaced, `running` the steps that are not postponed.
 */
export function planPrune(
  rendered: RenderedSite,
  live: LiveState,
  replaced: ReadonlySet<ObjectKey>,
  running: readonly Step[] = rendered.steps,
): Pruning {
  const { home } = live;
  const key = (object: KubernetesObject): ObjectKey => keyOf(object, home);
  const wanted = new Set(objectsOf(rendered).map(key));
  const gone = [...live.objects].filter(([key]) => !wanted.has(key)).map(([, object]) => object);
  const superseded = new Map(
    running.map(({ id, objects }) => {
      const jobs = objects.filter(({ kind }) => kind === 'Job');
      const earlier = gone.filter(
        (object) =>
          object.kind === 'Job' &&
          assess(object).state === 'progressing' &&
          jobs.some((job) => samePart(job, object)),
      );
      return [
        id,
        [
          ...earlier.map((object) =>
            pruned(object, home, 'belongs to an earlier version of the same step'),
          ),
          ...movedIn(objects, gone).map(([object, namespace]) =>
            pruned(object, home, moveReason(namespace)),
          ),
        ],
      ] as const;
    }),
  );
  const early = new Set([...superseded.values()].flat().map(({ key }) => key));
  const leaving = new Set([...replaced, ...gone.map(key)]);
  const workloads = [...live.objects.values()].filter((object) => leaving.has(key(object)));
  const staying = (live.pods as readonly Pod[]).filter(
    (pod) => !isFinished(pod) && !workloads.some((workload) => samePart(workload, pod)),
  );
  const prune: PrunedObject[] = [];
  const keep: { key: ObjectKey; reason: string }[] = [];
  for (const object of gone.filter((each) => !early.has(key(each)))) {
    const user =
      object.kind === 'ConfigMap'
        ? staying.find(
            (pod) =>
              pod.metadata.namespace === object.metadata.namespace &&
              configMapsOf(pod).includes(object.metadata.name),
          )
        : undefined;
    if (user !== undefined)
      keep.push({ key: key(object), reason: `pod ${user.metadata.name} uses it` });
    else prune.push(pruned(object, home, pruneReason(object, rendered, live)));
  }
  for (const claim of live.claims) {
    const owner = gone.find((object) => object.kind === 'StatefulSet' && samePart(object, claim));
    if (owner !== undefined)
      keep.push({ key: key(claim), reason: `contains data of ${key(owner)}` });
  }
  const secrets = new Set(rendered.secrets.map(({ name }) => name));
  for (const name of live.records.at(-1)?.secrets ?? [])
    if (!secrets.has(name))
      keep.push({ key: `Secret/${name}`, reason: 'its value cannot be generated again' });
  const rank = (one: PrunedObject): number => ORDER.indexOf(kindOfKey(one.key));
  return {
    prune: prune.sort((a, b) => rank(a) - rank(b) || (a.key < b.key ? -1 : 1)),
    keep,
    superseded,
  };
}

function objectsOf({ foundation, steps }: RenderedSite): KubernetesObject[] {
  return [...foundation, ...steps.flatMap(({ objects }) => objects)];
}

/**
 * The reason for a deletion. For an object named by a content hash: the object that replaces it.
 */
function pruneReason(object: LiveObject, rendered: RenderedSite, live: LiveState): string {
  const stem = stemOf(object);
  const forms =
    stem === undefined
      ? []
      : objectsOf(rendered).filter(
          (each) => each.kind === object.kind && stemOf(each) === stem && samePart(each, object),
        );
  const made = forms.filter((each) => !live.objects.has(keyOf(each, live.home)));
  const [form, other] = made.length > 0 ? made : forms;
  if (form === undefined) return 'is no longer part of the site';
  return other === undefined
    ? `is replaced by ${keyOf(form, live.home)}`
    : 'is replaced by a newer version';
}

/** An object's name without its hash suffix; `undefined` without a hash. */
function stemOf({ metadata }: KubernetesObject | LiveObject): string | undefined {
  return /^(.+)-[0-9a-f]{10}$/.exec(metadata.name)?.[1];
}

function pruned(object: LiveObject, home: Home, reason: string): PrunedObject {
  return {
    key: keyOf(object, home),
    apiVersion: object.apiVersion,
    uid: object.metadata.uid,
    reason,
  };
}

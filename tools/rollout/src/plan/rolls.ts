import { omitUndefined } from '#core';
import { asKind, type KubernetesObject, type LiveObject } from '#ports';
import type { ObjectKey } from '#site';
import type { FieldChange } from './field-changes.ts';
import { lineChanges } from './line-changes.ts';
import type { PlannedObject, Roll } from './types.ts';

const TEMPLATE = 'spec.template.';
const CONFIG_MAP = /^spec\.template\.spec\.volumes\[([^\]]+)\]\.configMap\.name$/;
const IMAGE = /^spec\.template\.spec\.containers\[([^\]]+)\]\.image$/;

/** The workloads that replace their pods, with the reasons and the changed lines of files. */
export function rollsOf(
  objects: readonly PlannedObject[],
  live: ReadonlyMap<ObjectKey, LiveObject>,
): Roll[] {
  const rendered = new Map(objects.map(({ key, desired }) => [key, desired]));
  return objects.flatMap(({ key, action, changes, desired, together }): Roll[] => {
    if (
      !['Deployment', 'StatefulSet', 'DaemonSet'].includes(desired.kind) ||
      (action !== 'update' && action !== 'replace')
    )
      return [];
    const ofPods = changes.filter(({ path }) => path.startsWith(TEMPLATE));
    if (ofPods.length === 0) return [];
    return [
      {
        key,
        ...omitUndefined({ together }),
        pods: podCount(live.get(key)),
        why: ofPods.flatMap((change) =>
          reasons(change, (name) => rendered.get(name) ?? live.get(name)),
        ),
      },
    ];
  });
}

function reasons(
  change: FieldChange,
  find: (key: ObjectKey) => KubernetesObject | undefined,
): string[] {
  const { path, before, after } = change;
  if (CONFIG_MAP.test(path) && typeof before === 'string' && typeof after === 'string') {
    const [old, fresh] = [find(`ConfigMap/${before}`), find(`ConfigMap/${after}`)].map(
      (map) => asKind('ConfigMap', map)?.data ?? {},
    );
    return [...new Set([...Object.keys(old!), ...Object.keys(fresh!)])].flatMap((file) =>
      lineChanges(old![file] ?? '', fresh![file] ?? '').map((line) => `${file}: ${line}`),
    );
  }
  const container = IMAGE.exec(path)?.[1];
  if (container !== undefined)
    return [`image of ${container}: ${shortImage(before)} -> ${shortImage(after)}`];
  return [`${path.slice(TEMPLATE.length)} changes`];
}

function shortImage(image: FieldChange['before']): string {
  return typeof image === 'string'
    ? image.replace(/^.*\//, '').replace(/@sha256:([0-9a-f]{12})[0-9a-f]*$/, '@$1')
    : 'none';
}

/** The current number of pods of a workload. */
export function podCount(live: LiveObject | undefined): number {
  const { replicas, currentNumberScheduled } = asKind('Workload', live)?.status ?? {};
  return replicas ?? currentNumberScheduled ?? 0;
}

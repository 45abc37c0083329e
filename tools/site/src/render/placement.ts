import type { OnNodes } from '../model/node-groups.ts';

const NODE = 'kubernetes.io/hostname';

/** Placement of a workload's replicas on nodes. */
export interface Spread {
  readonly labels: Readonly<Record<string, string>>;
  readonly required: boolean;
  /** Label that separates old and new pods while a Deployment rolls (`matchLabelKeys`). */
  readonly revision?: string;
}

/** Terms of pods that must be on the same node. */
export type SameNode = readonly {
  readonly labelSelector: object;
  /** Namespaces of the pods; that of the own pod if absent. */
  readonly namespaces?: readonly string[];
}[];

/**
 * Nodes with any of the role's labels, replicas spread over nodes, together with the pods that they
 * need there.
 */
export function placement(
  roleLabels: readonly string[],
  spread?: Spread,
  sameNode: SameNode = [],
  onNodes: Pick<OnNodes, 'anyOf' | 'noneOf'> = { anyOf: [], noneOf: [] },
): { affinity: object; topologySpreadConstraints?: object[] } {
  const excludes = onNodes.noneOf.map((label) => expression(label, 'DoesNotExist', 'NotIn'));
  const nodeSelectorTerms = roleLabels.flatMap((label) => {
    const ofRole = expression(label, 'Exists', 'In');
    const choices =
      onNodes.anyOf.length === 0
        ? [[]]
        : onNodes.anyOf.map((each) => [expression(each, 'Exists', 'In')]);
    return choices.map((anyOf) => ({ matchExpressions: [ofRole, ...anyOf, ...excludes] }));
  });
  const near = sameNode.map((term) => ({ ...term, topologyKey: NODE }));
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    ...(near.length === 0
      ? {}
      : { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near } }),
  };
  if (spread === undefined) return { affinity };
  const constraint = {
    maxSkew: 1,
    topologyKey: NODE,
    whenUnsatisfiable: spread.required ? 'DoNotSchedule' : 'ScheduleAnyway',
    labelSelector: { matchLabels: spread.labels },
    ...(spread.revision === undefined ? {} : { matchLabelKeys: [spread.revision] }),
  };
  return { affinity, topologySpreadConstraints: [constraint] };
}

function expression(label: string, any: 'Exists' | 'DoesNotExist', one: 'In' | 'NotIn'): object {
  const [key, value] = label.split('=', 2);
  return value === undefined ? { key, operator: any } : { key, operator: one, values: [value] };
}

const NODE = 'kubernetes.io/hostname';

/** How replicas of a workload lie on nodes. */
export interface Spread {
  readonly labels: Readonly<Record<string, string>>;
  readonly required: boolean;
  /** Label whose value is told apart while a Deployment rolls, so that old pods do not count against new ones. */
  readonly revision?: string;
}

/** Labels of pods that must be on the same node. */
export type Beside = readonly Readonly<Record<string, string>>[];

/** Nodes that bear any of the role's labels, replicas spread over nodes, beside the pods they need there. */
export function placement(roleLabels: readonly string[], spread?: Spread, beside: Beside = []): { affinity: object; topologySpreadConstraints?: object[] } {
  const nodeSelectorTerms = roleLabels.map((label) => {
    const [key, value] = label.split('=', 2);
    return { matchExpressions: [value === undefined ? { key, operator: 'Exists' } : { key, operator: 'In', values: [value] }] };
  });
  const near = beside.map((labels) => ({ labelSelector: { matchLabels: labels }, topologyKey: NODE }));
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
    ...(near.length === 0 ? {} : { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: near } }),
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

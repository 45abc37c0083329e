/** How replicas of a workload lie on nodes. */
export interface Spread {
  readonly labels: Readonly<Record<string, string>>;
  readonly required: boolean;
  /** Label whose value is told apart while a Deployment rolls, so that old pods do not count against new ones. */
  readonly revision?: string;
}

/** Nodes that bear any of the role's labels, replicas spread over nodes. */
export function placement(roleLabels: readonly string[], spread?: Spread): { affinity: object; topologySpreadConstraints?: object[] } {
  const nodeSelectorTerms = roleLabels.map((label) => {
    const [key, value] = label.split('=', 2);
    return { matchExpressions: [value === undefined ? { key, operator: 'Exists' } : { key, operator: 'In', values: [value] }] };
  });
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  if (spread === undefined) return { affinity };
  const constraint = {
    maxSkew: 1,
    topologyKey: 'kubernetes.io/hostname',
    whenUnsatisfiable: spread.required ? 'DoNotSchedule' : 'ScheduleAnyway',
    labelSelector: { matchLabels: spread.labels },
    ...(spread.revision === undefined ? {} : { matchLabelKeys: [spread.revision] }),
  };
  return { affinity, topologySpreadConstraints: [constraint] };
}

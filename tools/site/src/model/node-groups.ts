import type { AppSpec, SiteApp, Workload } from '#definitions';

/** Which of its role's nodes a DaemonSet is for. */
export interface OnNodes {
  /** Workload of the app spec. */
  readonly of: string;
  /** Group of the site; absent for all nodes that are in none. */
  readonly group?: string;
  /** Its nodes have at least one of these labels; empty selects every node. */
  readonly anyOf: readonly string[];
  /** Labels that its nodes must not have. */
  readonly noneOf: readonly string[];
}

/**
 * Adds a DaemonSet `WORKLOAD-GROUP` to an app spec for each of its DaemonSets and each node group
 * of the site, and returns the nodes of each DaemonSet. No node belongs to two of them.
 */
export function withNodeGroups(
  spec: AppSpec,
  groups: NonNullable<SiteApp['nodes']> = {},
): { readonly spec: AppSpec; readonly onNodes: ReadonlyMap<string, OnNodes> } {
  const onNodes = new Map<string, OnNodes>();
  const list = Object.entries(groups);
  if (list.length === 0) return { spec, onNodes };
  const workloads = Object.entries(spec.workloads).flatMap(
    ([name, workload]): (readonly [string, Workload])[] => {
      if (workload.kind !== 'DaemonSet') return [[name, workload]];
      onNodes.set(name, { of: name, anyOf: [], noneOf: list.flatMap(([, { labels }]) => labels) });
      const variants = list.map(([group, { labels }], index) => {
        onNodes.set(`${name}-${group}`, {
          of: name,
          group,
          anyOf: labels,
          noneOf: list.slice(0, index).flatMap(([, earlier]) => earlier.labels),
        });
        return [`${name}-${group}`, workload] as const;
      });
      return [[name, workload], ...variants];
    },
  );
  return { spec: { ...spec, workloads: Object.fromEntries(workloads) }, onNodes };
}

/** Whether it is for the nodes in no group; there may be none. */
export function isLeftOver(onNodes: OnNodes | undefined): boolean {
  return onNodes !== undefined && onNodes.group === undefined;
}

/** The workload itself, and its copies for node groups. */
export function variantsOf(
  { onNodes }: { readonly onNodes: ReadonlyMap<string, OnNodes> },
  workload: string,
): string[] {
  return [
    workload,
    ...[...onNodes]
      .filter(([name, { of }]) => of === workload && name !== workload)
      .map(([name]) => name),
  ];
}

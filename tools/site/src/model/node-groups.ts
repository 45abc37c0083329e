import type { AppSpec, SiteApp, Workload } from '#definitions';

/** Which of its role's nodes a DaemonSet is for. */
export interface OnNodes {
  /** Workload of the app spec. */
  readonly of: string;
  /** Group of the site; absent for all nodes that are in none. */
  readonly group?: string;
  /** Labels of which its nodes bear one; any node where empty. */
  readonly bear: readonly string[];
  /** Labels that its nodes must not bear. */
  readonly lack: readonly string[];
}

/**
 * An app spec with a DaemonSet `WORKLOAD-GROUP` beside each of its DaemonSets for each of the site's groups of nodes, and which nodes
 * each of them is for: no node is for two.
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
      onNodes.set(name, { of: name, bear: [], lack: list.flatMap(([, { labels }]) => labels) });
      const variants = list.map(([group, { labels }], index) => {
        onNodes.set(`${name}-${group}`, {
          of: name,
          group,
          bear: labels,
          lack: list.slice(0, index).flatMap(([, earlier]) => earlier.labels),
        });
        return [`${name}-${group}`, workload] as const;
      });
      return [[name, workload], ...variants];
    },
  );
  return { spec: { ...spec, workloads: Object.fromEntries(workloads) }, onNodes };
}

/** Whether it is for what groups of nodes leave over, which may be nothing. */
export function isLeftOver(onNodes: OnNodes | undefined): boolean {
  return onNodes !== undefined && onNodes.group === undefined;
}

/** The workload itself, and what is made of it for groups of nodes. */
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

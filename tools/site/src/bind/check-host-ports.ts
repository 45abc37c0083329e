import type { CcpError } from '#core';
import type { Site, Workload } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { objectName } from '../model/names.ts';
import type { OnNodes } from '../model/node-groups.ts';
import { siteFindings } from './site-findings.ts';

/** A DaemonSet with pods in the host network. */
interface OnHost {
  readonly object: string;
  readonly instance: string;
  readonly role: string;
  readonly ports: readonly number[];
  readonly onNodes: Pick<OnNodes, 'anyOf' | 'noneOf'>;
}

/**
 * Reports host ports that two DaemonSets would use on one node, where the second pod would stay
 * pending. Conflicts that depend on the actual labels of nodes are not detected.
 */
export function checkHostPorts(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const all = [...instances.values()].flatMap(onHosts);
  for (const [index, second] of all.entries()) {
    for (const first of all.slice(0, index)) {
      const ports = second.ports.filter((port) => first.ports.includes(port));
      if (ports.length === 0 || !meet(first, second, site)) continue;
      const role =
        first.role === second.role
          ? `role "${first.role}"`
          : `the roles "${first.role}" and "${second.role}"`;
      refuse(
        ['apps', second.instance],
        `the DaemonSets "${first.object}" and "${second.object}" would both use port ${ports.join(' and ')} on nodes with ${role}`,
        'run only one of them on these nodes',
      );
    }
  }
  return findings;
}

function onHosts(instance: Instance): OnHost[] {
  return Object.entries(instance.spec.workloads).flatMap(([name, workload]) => {
    if (workload.kind !== 'DaemonSet' || workload.host?.network === undefined) return [];
    const onNodes = instance.onNodes.get(name) ?? { anyOf: [], noneOf: [] };
    return [
      {
        object: objectName(instance, name),
        instance: instance.name,
        role: workload.role,
        ports: portNumbers(workload),
        onNodes,
      },
    ];
  });
}

function portNumbers({ containers }: Workload): number[] {
  return Object.values(containers).flatMap(({ ports = {} }) =>
    Object.values(ports).map(({ port }) => port),
  );
}

function meet(first: OnHost, second: OnHost, { roles }: Site): boolean {
  const [a, b] = [first.onNodes, second.onNodes];
  const bothLimited = a.anyOf.length > 0 && b.anyOf.length > 0;
  return (
    share(roles[first.role] ?? [], roles[second.role] ?? []) &&
    (!bothLimited || share(a.anyOf, b.anyOf)) &&
    !isWithout(a, b) &&
    !isWithout(b, a)
  );
}

/** Whether `one` excludes every node that `other` selects. */
function isWithout(one: OnHost['onNodes'], other: OnHost['onNodes']): boolean {
  return (
    other.anyOf.length > 0 &&
    other.anyOf.every((label) => one.noneOf.some((excluded) => covers(excluded, label)))
  );
}

function share(ones: readonly string[], others: readonly string[]): boolean {
  return ones.some((one) => others.some((other) => covers(one, other) || covers(other, one)));
}

/** Whether every node with `label` also matches `wide`. */
function covers(wide: string, label: string): boolean {
  return wide === label || (!wide.includes('=') && label.startsWith(`${wide}=`));
}

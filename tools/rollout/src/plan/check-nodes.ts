import { CcpError, counted, throwFindings } from '#core';
import { asKind, type LiveObject } from '#ports';
import {
  keyOf,
  podsOf,
  type Home,
  type ObjectKey,
  type RenderedPod,
  type RenderedSite,
} from '#site';

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions: readonly Expression[];
}

/** A workload or Job without enough nodes. */
export interface NodeShortage {
  readonly key: ObjectKey;
  /** `DaemonSet/agent needs 1 node with role=any, but 0 of 3 nodes can run it`. */
  readonly text: string;
}

/** Throws `deploy-nodes` for each shortage of nodes. */
export function checkNodes(rendered: RenderedSite, nodes: readonly LiveObject[], home: Home): void {
  throwFindings(
    nodeShortages(rendered, nodes, home).map(
      ({ text }) =>
        new CcpError({
          code: 'deploy-nodes',
          message: text,
          hint: 'label more nodes, or reduce the replicas in the site',
        }),
    ),
  );
}

/**
 * Workloads and Jobs without enough nodes: no node of the role, or fewer nodes than replicas that
 * must not share one. A DaemonSet for the nodes that no group selects may have none.
 */
export function nodeShortages(
  { foundation, steps }: Pick<RenderedSite, 'foundation' | 'steps'>,
  nodes: readonly LiveObject[],
  home: Home,
): NodeShortage[] {
  const judged = steps.filter(({ leftOver }) => leftOver !== true);
  return podsOf([...foundation, ...judged.flatMap(({ objects }) => objects)]).flatMap(
    ({ object, pod }) => {
      const { nodeAffinity } = pod.affinity as {
        nodeAffinity?: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: readonly Term[] };
        };
      };
      const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
      if (terms === undefined) return [];
      const able = nodes.filter(
        (node) =>
          (object.kind === 'DaemonSet' || !isCordoned(node)) &&
          terms.some((term) => fits(term, node.metadata.labels ?? {})),
      ).length;
      const { replicas = 1 } = asKind('Workload', object).spec ?? {};
      const wanted = hasRequiredSpread(pod) ? replicas : Math.min(replicas, 1);
      if (able >= wanted) return [];
      const key = keyOf(object, home);
      const text = `${key} needs ${counted(wanted, 'node')} with ${terms.map(termText).join(' or ')}, but ${able} of ${nodes.length} nodes can run it`;
      return [{ key, text }];
    },
  );
}

/** Whether the replicas of a workload must not share a node. */
export function hasRequiredSpread({
  topologySpreadConstraints = [],
}: Pick<RenderedPod['pod'], 'topologySpreadConstraints'>): boolean {
  return (topologySpreadConstraints as readonly { readonly whenUnsatisfiable?: string }[]).some(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
}

/** A DaemonSet runs on a cordoned node too. */
function isCordoned(node: LiveObject): boolean {
  return asKind('Node', node).spec?.unschedulable === true;
}

function fits({ matchExpressions }: Term, labels: Readonly<Record<string, string>>): boolean {
  return matchExpressions.every((expression) => {
    const value = labels[expression.key];
    const matches = value !== undefined && expression.values?.includes(value) !== false;
    return isLack(expression) ? !matches : matches;
  });
}

function isLack({ operator }: Expression): boolean {
  return operator === 'NotIn' || operator === 'DoesNotExist';
}

function termText({ matchExpressions }: Term): string {
  return matchExpressions
    .map(
      (expression) =>
        `${isLack(expression) ? '!' : ''}${expression.key}${expression.values === undefined ? '' : `=${expression.values.join('|')}`}`,
    )
    .join(',');
}

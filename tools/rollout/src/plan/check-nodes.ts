import { CcpError, counted, throwFindings } from '#core';
import type { LiveObject } from '#ports';
import { keyOf, podsOf, type RenderedSite } from '#site';

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions: readonly Expression[];
}

/**
 * Throws `deploy-nodes` for each workload without enough nodes: no node of its role, or fewer nodes
 * than replicas that must not share one. A DaemonSet for the nodes that no group selects may have
 * none.
 */
export function checkNodes(rendered: RenderedSite, nodes: readonly LiveObject[]): void {
  const usable = nodes.filter(
    (node) => (node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable !== true,
  );
  const steps = rendered.steps.filter(({ leftOver }) => leftOver !== true);
  throwFindings(
    podsOf([...rendered.foundation, ...steps.flatMap(({ objects }) => objects)]).flatMap(
      ({ object, pod }) => {
        const { nodeAffinity } = pod.affinity as {
          nodeAffinity?: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: readonly Term[] };
          };
        };
        const terms =
          nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
        if (terms === undefined) return [];
        const able = usable.filter(({ metadata }) =>
          terms.some((term) => fits(term, metadata.labels ?? {})),
        ).length;
        const constraints = (pod.topologySpreadConstraints ?? []) as readonly {
          readonly whenUnsatisfiable?: string;
        }[];
        const { replicas = 1 } = object['spec'] as { replicas?: number };
        const wanted = constraints.some(
          ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
        )
          ? replicas
          : Math.min(replicas, 1);
        if (able >= wanted) return [];
        const message = `${keyOf(object)} needs ${counted(wanted, 'node')} with ${terms.map(termText).join(' or ')}, but ${able} of ${nodes.length} nodes can run it`;
        return [
          new CcpError({
            code: 'deploy-nodes',
            message,
            hint: 'label more nodes, or reduce the replicas in the site',
          }),
        ];
      },
    ),
  );
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

import { CcpError, counted, throwFindings } from '#core';
import type { LiveObject } from '#ports';
import { keyOf } from '../live/object-key.ts';
import { podsOf } from '../pods-of.ts';
import type { RenderedSite } from '../types.ts';

interface Expression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions: readonly Expression[];
}

/**
 * Raises `deploy-nodes` for each workload that the nodes have no place for: none of its role, or fewer than replicas that may not share one.
 * A DaemonSet for what groups of nodes leave over may have none.
 */
export function checkNodes(rendered: RenderedSite, nodes: readonly LiveObject[]): void {
  const usable = nodes.filter((node) => (node['spec'] as { unschedulable?: boolean } | undefined)?.unschedulable !== true);
  const steps = rendered.steps.filter(({ leftOver }) => leftOver !== true);
  throwFindings(
    podsOf([...rendered.foundation, ...steps.flatMap(({ objects }) => objects)]).flatMap(({ object, pod }) => {
      const { nodeAffinity } = pod.affinity as { nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: readonly Term[] } } };
      const terms = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
      if (terms === undefined) return [];
      const able = usable.filter(({ metadata }) => terms.some((term) => fits(term, metadata.labels ?? {}))).length;
      const constraints = (pod.topologySpreadConstraints ?? []) as readonly { readonly whenUnsatisfiable?: string }[];
      const { replicas = 1 } = object['spec'] as { replicas?: number };
      const wanted = constraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule') ? replicas : Math.min(replicas, 1);
      if (able >= wanted) return [];
      const message = `${keyOf(object)} needs ${counted(wanted, 'node')} with ${terms.map(termText).join(' or ')}, and ${able} of ${nodes.length} can take it`;
      return [new CcpError({ code: 'deploy-nodes', message, hint: 'label more nodes, or ask for fewer replicas in the site' })];
    }),
  );
}

function fits({ matchExpressions }: Term, labels: Readonly<Record<string, string>>): boolean {
  return matchExpressions.every((expression) => {
    const value = labels[expression.key];
    const bears = value !== undefined && expression.values?.includes(value) !== false;
    return isLack(expression) ? !bears : bears;
  });
}

function isLack({ operator }: Expression): boolean {
  return operator === 'NotIn' || operator === 'DoesNotExist';
}

function termText({ matchExpressions }: Term): string {
  return matchExpressions
    .map((expression) => `${isLack(expression) ? '!' : ''}${expression.key}${expression.values === undefined ? '' : `=${expression.values.join('|')}`}`)
    .join(',');
}

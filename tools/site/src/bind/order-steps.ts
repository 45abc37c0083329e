import { CcpError, omitUndefined, type Position } from '#core';
import type { Step } from '../model/types.ts';

/** A step before it has a wave. `at` is its position in the app spec or the site. */
export interface UnorderedStep extends Omit<Step, 'wave' | 'objects'> {
  readonly at?: Position;
}

/**
 * Sorts steps by wave and id. Each keeps its direct edges only, without edges that another edge
 * implies. A cycle is a finding `deploy-cycle` with its steps, at the position of one of them. Of
 * cycles that share a step, only the first is reported.
 */
export function orderSteps<T extends UnorderedStep>(
  unordered: readonly T[],
): {
  readonly steps: readonly (Omit<T, 'at'> & Pick<Step, 'wave'>)[];
  readonly findings: readonly CcpError[];
} {
  const byId = new Map(unordered.map((step) => [step.id, step]));
  const cycles: (readonly string[])[] = [];
  const done = new Map<string, { readonly wave: number; readonly before: ReadonlySet<string> }>();
  const visit = (
    id: string,
    way: readonly string[],
  ): { readonly wave: number; readonly before: ReadonlySet<string> } => {
    const known = done.get(id);
    if (known !== undefined) return known;
    const start = way.indexOf(id);
    if (start >= 0) {
      const cycle = way.slice(start);
      if (!cycles.flat().some((step) => cycle.includes(step))) cycles.push(cycle);
      return { wave: 0, before: new Set() };
    }
    const edges = byId.get(id)!.waitsFor.map((edge) => ({ edge, ...visit(edge, [...way, id]) }));
    const wave = edges.reduce((most, edge) => Math.max(most, edge.wave + 1), 0);
    const result = {
      wave,
      before: new Set(edges.flatMap(({ edge, before }) => [edge, ...before])),
    };
    done.set(id, result);
    return result;
  };
  const steps = unordered.map(({ at: _, ...step }) => {
    const { wave } = visit(step.id, []);
    const implied = new Set(step.waitsFor.flatMap((edge) => [...done.get(edge)!.before]));
    return { ...step, waitsFor: step.waitsFor.filter((edge) => !implied.has(edge)).sort(), wave };
  });
  return {
    steps: steps.sort((a, b) => a.wave - b.wave || (a.id < b.id ? -1 : 1)),
    findings: cycles.map((cycle) => cycleOf(cycle, byId)),
  };
}

function cycleOf(way: readonly string[], byId: ReadonlyMap<string, UnorderedStep>): CcpError {
  const first = [...way].sort()[0]!;
  const turned = [...way.slice(way.indexOf(first)), ...way.slice(0, way.indexOf(first)), first];
  const at = byId.get(first)?.at;
  return new CcpError({
    code: 'deploy-cycle',
    message: `these steps wait for each other: ${turned.join(' -> ')}`,
    hint: 'remove one of the requirements or "after" entries',
    ...omitUndefined({ at }),
  });
}

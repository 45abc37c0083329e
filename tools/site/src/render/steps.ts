import { collectErrors, CcpError, throwFindings } from '#core';
import type { KubernetesObject } from '#ports';
import type { Step, UnorderedStep } from '../model/types.ts';

/** The objects of each step by its id. Raises what rendering them raises, of all of them together. */
export function renderSteps(
  steps: readonly UnorderedStep[],
): ReadonlyMap<string, readonly KubernetesObject[]> {
  const objectsOf = ({ id, render }: UnorderedStep) => [id, render()] as const;
  return new Map(collectErrors(steps.map((step) => () => objectsOf(step))));
}

/**
 * Steps by wave and id, each with the direct edges only: what another of its edges waits for anyway is left out. Raises
 * `deploy-cycle` with the way round, at the place of one of its steps; of cycles that share a step the first that is found.
 */
export function orderSteps(unordered: readonly UnorderedStep[]): Omit<Step, 'objects'>[] {
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
  const steps = unordered.map(({ at: _, render: __, ...step }) => {
    const { wave } = visit(step.id, []);
    const implied = new Set(step.waitsFor.flatMap((edge) => [...done.get(edge)!.before]));
    return { ...step, waitsFor: step.waitsFor.filter((edge) => !implied.has(edge)).sort(), wave };
  });
  throwFindings(cycles.map((cycle) => cycleOf(cycle, byId)));
  return steps.sort((a, b) => a.wave - b.wave || (a.id < b.id ? -1 : 1));
}

function cycleOf(way: readonly string[], byId: ReadonlyMap<string, UnorderedStep>): CcpError {
  const first = [...way].sort()[0]!;
  const turned = [...way.slice(way.indexOf(first)), ...way.slice(0, way.indexOf(first)), first];
  const at = byId.get(first)?.at;
  return new CcpError({
    code: 'deploy-cycle',
    message: `these steps wait for each other: ${turned.join(' -> ')}`,
    hint: 'take one of the requirements or "after" entries away',
    ...(at === undefined ? {} : { at }),
  });
}

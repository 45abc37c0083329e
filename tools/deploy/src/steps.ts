import { CcpError, type Position } from '#core';
import type { Step } from './types.ts';

/** A step before it has a wave; `at` is where it is written. */
export interface PlannedStep extends Omit<Step, 'wave'> {
  readonly at?: Position;
}

/**
 * Steps by wave and id, each with the direct edges only: what another of its edges waits for anyway is left out. Raises
 * `deploy-cycle` with the way round, at the place of one of its steps.
 */
export function orderSteps(planned: readonly PlannedStep[]): Step[] {
  const byId = new Map(planned.map((step) => [step.id, step]));
  const done = new Map<string, { readonly wave: number; readonly before: ReadonlySet<string> }>();
  const visit = (id: string, way: readonly string[]): { readonly wave: number; readonly before: ReadonlySet<string> } => {
    const known = done.get(id);
    if (known !== undefined) return known;
    const start = way.indexOf(id);
    if (start >= 0) refuseCycle(way.slice(start), byId);
    const edges = byId.get(id)!.waitsFor.map((edge) => ({ edge, ...visit(edge, [...way, id]) }));
    const wave = edges.reduce((most, edge) => Math.max(most, edge.wave + 1), 0);
    const result = { wave, before: new Set(edges.flatMap(({ edge, before }) => [edge, ...before])) };
    done.set(id, result);
    return result;
  };
  const steps = planned.map(({ at: _, ...step }): Step => {
    const { wave } = visit(step.id, []);
    const implied = new Set(step.waitsFor.flatMap((edge) => [...done.get(edge)!.before]));
    return { ...step, waitsFor: step.waitsFor.filter((edge) => !implied.has(edge)).sort(), wave };
  });
  return steps.sort((a, b) => a.wave - b.wave || (a.id < b.id ? -1 : 1));
}

function refuseCycle(way: readonly string[], byId: ReadonlyMap<string, PlannedStep>): never {
  const first = [...way].sort()[0]!;
  const turned = [...way.slice(way.indexOf(first)), ...way.slice(0, way.indexOf(first)), first];
  const at = byId.get(first)?.at;
  throw new CcpError({
    code: 'deploy-cycle',
    message: `these steps wait for each other: ${turned.join(' -> ')}`,
    hint: 'take one of the requirements or "after" entries away',
    ...(at === undefined ? {} : { at }),
  });
}

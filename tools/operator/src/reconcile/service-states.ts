import { redact } from '#core';
import type { SiteStatus } from '#rollout';
import type { RenderedSite } from '#site';
import type { ServiceState } from '../resources/types.ts';

/** The worst state first. */
const WORST = ['failed', 'missing', 'progressing', 'waiting', 'deferred', 'done'];
const MIGRATING: ReadonlySet<string> = new Set(['expand', 'migrate']);

/** The state of each instance of a site, in order of name. */
export function serviceStates(
  { steps }: Pick<SiteStatus, 'steps'>,
  rendered: Pick<RenderedSite, 'steps'>,
): readonly ServiceState[] {
  const phases = new Map(rendered.steps.map(({ id, phase }) => [id, phase as string]));
  const byInstance = Map.groupBy(
    steps.filter(({ instance }) => instance !== undefined),
    ({ instance }) => instance!,
  );
  return [...byInstance]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, all]) => {
      const rank = ({ state }: (typeof all)[number]): number => WORST.indexOf(state);
      const worst = all.toSorted((left, right) => rank(left) - rank(right))[0]!;
      const schema = schemaOf(
        all.map(({ id, state }) => ({ phase: phases.get(id) ?? '', isDone: state === 'done' })),
      );
      const isWell = worst.state === 'done' || worst.state === 'deferred';
      return {
        name,
        state: isWell ? 'ready' : worst.state,
        ...(isWell || worst.reason === '' ? {} : { reason: redact(worst.reason).slice(0, 256) }),
        ...(schema === undefined ? {} : { schema }),
      };
    });
}

/** How far the jobs of the schema phases are; `undefined` for an instance without any. */
function schemaOf(
  steps: readonly { readonly phase: string; readonly isDone: boolean }[],
): ServiceState['schema'] {
  const migrating = steps.filter(({ phase }) => MIGRATING.has(phase));
  const contracting = steps.filter(({ phase }) => phase === 'contract');
  if (migrating.length + contracting.length === 0) return undefined;
  if (migrating.some(({ isDone }) => !isDone)) return 'pending';
  return contracting.length > 0 && contracting.every(({ isDone }) => isDone)
    ? 'contracted'
    : 'migrated';
}

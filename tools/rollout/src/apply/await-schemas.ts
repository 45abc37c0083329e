import type { DeployPlan } from '../plan/types.ts';
import { readPublished } from '../record/data-ids.ts';
import { readLedger } from '../record/ledger-store.ts';
import { readRecords } from '../record/record-store.ts';
import { isSetBack, schemaStates } from '../record/schema-states.ts';
import type { StepOutcome } from '../session/events.ts';
import type { ApplyContext } from './context.ts';

const PHASES: ReadonlySet<string> = new Set(['expand', 'migrate', 'contract']);
const TRIES = 15;
const PAUSE_MS = 1000;

/**
 * Waits until databases publish the migrations that a run has made, for at most 15 seconds. Before
 * that, a status would report that they lack migrations.
 */
export async function awaitSchemas(
  { rendered, steps }: DeployPlan,
  outcomes: ReadonlyMap<string, StepOutcome>,
  { cluster, site, clock, signal }: ApplyContext,
): Promise<void> {
  const migrated = steps.some(
    ({ id, phase, doneIn }) =>
      PHASES.has(phase) && doneIn === undefined && outcomes.get(id)?.state === 'done',
  );
  if (rendered.schemas === undefined || !migrated) return;
  const records = await readRecords(cluster, site);
  const ledger = await readLedger(cluster, site);
  for (let tries = 0; tries < TRIES && !signal.aborted; tries++) {
    const { heads } = await readPublished(cluster, site, rendered);
    const states = schemaStates(rendered, records, ledger, heads);
    if (!states.some((state) => isSetBack(state, rendered.steps, ledger))) return;
    await clock.sleep(PAUSE_MS, signal).catch(() => undefined);
  }
}

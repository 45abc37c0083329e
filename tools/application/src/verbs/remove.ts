import { deleteSite } from '#rollout';
import type { ApplicationRecord } from '../record/record.ts';
import { dropApplication } from '../record/store.ts';
import { withApplication } from '../session/change.ts';
import type { ApplicationEngine } from '../session/engine.ts';
import { runBusy } from '../session/run-busy.ts';

/** The record after a removal, and the objects that it kept. */
export interface Removed {
  readonly record: ApplicationRecord;
  readonly kept: readonly string[];
}

/**
 * Deletes the site of an application, which is `uploaded` afterwards. Claims and Secrets are kept.
 * `check` runs first and may refuse. Throws the errors of `withApplication` and `deleteSite`.
 */
export async function removeApplication(
  engine: ApplicationEngine,
  name: string,
  check: (record: ApplicationRecord) => Promise<void>,
): Promise<Removed> {
  return await withApplication(engine, name, 'remove', async (held) => {
    await check(held.record);
    let kept: readonly string[] = [];
    const record = await runBusy(engine, held, { state: 'removing' }, async (signal, { site }) => {
      if (site !== undefined) {
        const { cluster, note: _, ...run } = engine;
        const deleted = await deleteSite(cluster, site, {
          ...run,
          signal,
          claims: false,
          secrets: false,
        });
        kept = deleted.kept;
        const [first] = deleted.failures;
        if (first !== undefined) return { failed: `${first.key} ${first.reason}` };
        if (signal.aborted) return { failed: `cancelled by ${engine.by}` };
      }
      return { change: { state: 'uploaded', revision: undefined, from: undefined } as object };
    });
    return { record, kept };
  });
}

/**
 * Deletes the record of an application that is not deployed, with its files and overrides. Throws
 * the errors of `withApplication`.
 */
export async function deleteApplication(engine: ApplicationEngine, name: string): Promise<void> {
  await withApplication(engine, name, 'delete', async ({ cluster }) => {
    await dropApplication(cluster, name);
  });
}

import { backOffMs, messageOf } from '#core';
import type { ObjectRef } from '#ports';
import type { OperatorContext } from '../reconcile/context.ts';
import { reconcileRelease } from '../reconcile/reconcile-release.ts';
import type { ManagedResource } from '../resources/types.ts';
import { newBell } from './bell.ts';
import { watchSiteObjects, type ObjectsWatch } from './watch-objects.ts';

/** Milliseconds that changes of objects gather before a pass. */
const SETTLE_MS = 3000;
const BACK_OFF = { firstMs: 2000, limitMs: 120_000 };

/** The objects that a loop watches. */
interface Watched {
  readonly namespaces: readonly string[];
  /** The ConfigMap with the site. */
  readonly source?: string | undefined;
}

/** The loop of one resource. */
export interface Follower {
  /** Called with each state of the resource that a watch reports. */
  seen(resource: ManagedResource): void;
  /** Called when the resource no longer exists. */
  gone(): void;
  /** Called when the state of another resource that its status shows has changed. */
  childChanged(): void;
  /** Resolves when the resource is gone or the operator ends. */
  readonly over: Promise<void>;
}

/**
 * Runs passes over the resource with the id `uid`, one after the other: after each change of the
 * resource, of its objects, and when a pass asks for another one. A changed spec cancels the pass
 * that runs. Another resource with the same name has a loop of its own.
 */
export function followResource(
  context: OperatorContext,
  { uid, ...ref }: ObjectRef & { readonly uid: string },
  signal: AbortSignal,
  random: () => number = Math.random,
): Follower {
  const { cluster, clock, report } = context;
  const bell = newBell(clock);
  const key = `${ref.kind}/${ref.namespace}/${ref.name}`;
  let known: string | undefined;
  let round = new AbortController();
  let watch: ObjectsWatch | undefined;
  let watched: Watched = { namespaces: [] };
  let failures = 0;
  let repairs = 0;

  const settled = (): void => {
    void clock.sleep(SETTLE_MS, signal).then(() => bell.ring());
  };
  const watchAgain = async (
    resource: ManagedResource,
    namespaces: readonly string[],
  ): Promise<void> => {
    const wanted: Watched = { namespaces, source: resource.spec.site.configMap?.name };
    if (JSON.stringify(wanted) === JSON.stringify(watched)) return;
    await watch?.close();
    watch = watchSiteObjects(cluster, resource, namespaces, settled);
    watched = wanted;
  };
  const look = async (resource: ManagedResource): Promise<number> => {
    const start = clock.now();
    const done = (outcome: string): void =>
      report({ type: 'reconciled', resource: key, outcome, milliseconds: clock.now() - start });
    try {
      const { again, outcome, namespaces } = await reconcileRelease(
        context,
        resource,
        AbortSignal.any([signal, round.signal]),
      );
      done(outcome);
      failures = 0;
      // Another controller that writes the same fields again must not cause a busy loop.
      repairs = outcome.startsWith('Repairing') ? repairs + 1 : outcome === 'Ready' ? 0 : repairs;
      await watchAgain(resource, namespaces ?? watched.namespaces);
      return repairs > 1 ? Math.max(again, backOffMs(BACK_OFF, repairs, random)) : again;
    } catch (thrown) {
      done('Error');
      if (signal.aborted || round.signal.aborted) return 0;
      failures += 1;
      const message = messageOf(thrown);
      report({ type: 'note', resource: key, reason: 'Error', warning: true, message });
      return backOffMs(BACK_OFF, failures, random);
    }
  };
  const loop = async (): Promise<void> => {
    try {
      while (!signal.aborted) {
        round = new AbortController();
        const resource = await cluster.get(ref).catch(() => 'unread' as const);
        if (resource === undefined) return;
        if (resource !== 'unread' && resource.metadata.uid !== uid) return;
        if (resource !== 'unread') known = meaningOf(resource as ManagedResource);
        const again =
          resource === 'unread' ? BACK_OFF.firstMs : await look(resource as ManagedResource);
        if (again > 0) await bell.wait(again, signal);
      }
    } finally {
      await watch?.close();
    }
  };
  return {
    seen: (resource) => {
      if (meaningOf(resource) === known) return;
      round.abort();
      bell.ring();
    },
    gone: () => bell.ring(),
    childChanged: settled,
    over: loop(),
  };
}

/** The parts of a resource that a pass depends on, without the status, which a pass writes. */
function meaningOf({ metadata }: ManagedResource): string {
  const { uid, generation, annotations, deletionTimestamp } = metadata;
  return JSON.stringify([uid, generation, annotations, deletionTimestamp]);
}

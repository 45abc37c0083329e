import { redact, sha256 } from '#core';
import type { Cluster, KindRef, LiveObject } from '#ports';
import type { OperatorContext } from '../reconcile/context.ts';
import type { OperatorEvent } from '../reconcile/events.ts';
import { childState } from '../reconcile/children.ts';
import { MANAGED_KINDS, OPERATOR_MANAGER, RELEASE, SERVICE } from '../resources/kinds.ts';
import type { ManagedResource } from '../resources/types.ts';
import { followResource, type Follower } from './follow-resource.ts';
import { asLeader } from './leadership.ts';

export interface OperatorOptions extends OperatorContext {
  /** Namespace of the Lease by which one of several operators leads. */
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * Reconciles all resources of both kinds until the signal aborts. Only the leader works. Throws
 * `deploy-lock-lost` if another operator has taken over, and the errors of watching the resources.
 */
export async function runOperator({
  namespace,
  signal,
  ...context
}: OperatorOptions): Promise<void> {
  await asLeader({ ...context, namespace, signal }, async (cluster, given) => {
    const failed = new AbortController();
    const until = AbortSignal.any([given, failed.signal]);
    const report = (event: OperatorEvent): void => {
      if (event.type !== 'note') return context.report(event);
      // A failure can have a line of a log, which readers of Events must not see with its secrets.
      const note = { ...event, message: redact(event.message) };
      context.report(note);
      void writeEvent(cluster, context, note).catch(() => undefined);
    };
    const leading = { ...context, cluster, report };
    const umbrellas: Umbrellas = new Map();
    const results = await Promise.allSettled(
      MANAGED_KINDS.map((kind) =>
        followKind(leading, kind, umbrellas, until).finally(() => failed.abort()),
      ),
    );
    for (const result of results)
      if (result.status === 'rejected' && !given.aborted) throw result.reason;
  });
}

/** The loops of OpenStackReleases, by the id and namespace of their resource. */
type Umbrellas = Map<string, { readonly namespace: string; readonly follower: Follower }>;

/** Follows each resource of a kind; changed states of OpenStackServices wake their umbrellas. */
async function followKind(
  context: OperatorContext,
  kind: KindRef,
  umbrellas: Umbrellas,
  signal: AbortSignal,
): Promise<void> {
  const followers = new Map<string, Follower>();
  const states = new Map<string, string>();
  const wakeUmbrellas = ({ metadata }: LiveObject, state: string | undefined): void => {
    const { uid, namespace = 'default' } = metadata;
    if (kind.kind !== SERVICE.kind || states.get(uid) === state) return;
    if (state === undefined) states.delete(uid);
    else states.set(uid, state);
    for (const umbrella of umbrellas.values())
      if (umbrella.namespace === namespace) umbrella.follower.childChanged();
  };
  const put = (object: LiveObject): void => {
    wakeUmbrellas(object, JSON.stringify(childState(object as ManagedResource)));
    const { uid, name, namespace = 'default' } = object.metadata;
    const found = followers.get(uid);
    if (found !== undefined) return found.seen(object as ManagedResource);
    const follower = followResource(context, { ...kind, name, namespace, uid }, signal);
    followers.set(uid, follower);
    if (kind.kind === RELEASE.kind) umbrellas.set(uid, { namespace, follower });
    void follower.over.then(() => {
      followers.delete(uid);
      umbrellas.delete(uid);
    });
  };
  for await (const event of context.cluster.watch(kind, { signal })) {
    if (event.type === 'listed') event.items.forEach(put);
    else if (event.type === 'changed') put(event.object);
    else if (event.type === 'deleted') {
      wakeUmbrellas(event.object, undefined);
      followers.get(event.object.metadata.uid)?.gone();
    }
  }
  await Promise.all([...followers.values()].map(({ over }) => over));
}

/** Writes a note as an Event of its resource; a note that was written before is not repeated. */
async function writeEvent(
  cluster: Cluster,
  { clock, by }: Pick<OperatorContext, 'clock' | 'by'>,
  { resource, reason, message, warning }: OperatorEvent & { readonly type: 'note' },
): Promise<void> {
  const [kindName = '', namespace = '', name = ''] = resource.split('/');
  const kind = MANAGED_KINDS.find((each) => each.kind === kindName)!;
  const live = await cluster.get({ ...kind, namespace, name });
  const time = new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  await cluster.create(
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${sha256(reason + message).slice(0, 16)}`, namespace },
      type: warning ? 'Warning' : 'Normal',
      reason,
      message: message.slice(0, 1024),
      count: 1,
      firstTimestamp: time,
      lastTimestamp: time,
      source: { component: OPERATOR_MANAGER, host: by },
      involvedObject: {
        ...kind,
        name,
        namespace,
        ...(live === undefined ? {} : { uid: live.metadata.uid }),
      },
    },
    { fieldManager: OPERATOR_MANAGER },
  );
}

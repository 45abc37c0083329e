import { omitUndefined } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';
import { keyOf, type Home } from '#site';
import type { Preview } from '../live/live-state.ts';
import { foreignNamespace, isForeignNamespace } from '../live/namespace-owner.ts';
import { assess } from '../wait/assess.ts';
import { invalidAdditions, changesOfRemoval, removalHint, withoutTaken } from './additions.ts';
import { isUnbound, keptClaimText } from './claim-templates.ts';
import { fieldChanges } from './field-changes.ts';
import { keptClaims } from './kept-claims.ts';
import type { PlannedObject, RemadeClaim } from './types.ts';
import { unboundClaims } from './unbound-claims.ts';

/**
 * The API server's messages for a field that can be set only once; seen in Kubernetes 1.34 to 1.36.
 */
const SET_ONCE = /immutable|may not change|cannot change|updates to statefulset spec/i;

const APPLY_SET = 'applyset.kubernetes.io/part-of';

/** The facts from which one object is planned. */
interface ObjectFacts {
  /** The site, which the key depends on. */
  readonly home: Home;
  readonly live: LiveObject | undefined;
  readonly preview: Preview;
  readonly step?: string;
  /** The revision in which its Job ran, if that run is still valid. */
  readonly done?: number;
  /** Whether another version of its Job ran since. */
  readonly overtaken?: boolean;
  /** Claims of the object's namespace. */
  readonly claims?: readonly LiveObject[];
}

type Verdict = Pick<PlannedObject, 'action'> &
  Partial<Pick<PlannedObject, 'reason' | 'remedy' | 'ofSite' | 'changes' | 'conflicts' | 'uid'>>;

/** The action for one rendered object, and its reason. */
export function planObject(object: KubernetesObject, facts: ObjectFacts): PlannedObject {
  const { live, preview, step, claims = [] } = facts;
  const { desired, force, conflicts, added = [] } = preview;
  const instance = object.metadata.labels?.['app.kubernetes.io/instance'];
  const remade = unboundClaims(desired, live, claims);
  const verdict =
    verdictOnOwner(object, live) ??
    verdictOnJob(object, facts) ??
    verdictOnAnswer(object, facts, remade);
  return {
    key: keyOf(object, facts.home),
    ...omitUndefined({ step, instance }),
    desired,
    force,
    conflicts,
    ...(added.length === 0 ? {} : { added }),
    changes: [],
    ...(remade.length === 0 ? {} : { remade }),
    ...verdict,
  };
}

/** The verdict on an object of another owner. */
function verdictOnOwner(
  object: KubernetesObject,
  live: LiveObject | undefined,
): Verdict | undefined {
  if (live === undefined) return undefined;
  const owner = live.metadata.labels?.[APPLY_SET];
  if (owner !== undefined && owner !== object.metadata.labels?.[APPLY_SET]) {
    const ofSite = live.metadata.labels?.['app.kubernetes.io/part-of'] ?? owner;
    return {
      conflicts: [],
      action: 'refused',
      ofSite,
      reason: `it belongs to another site: ${ofSite}`,
    };
  }
  return isForeignNamespace(live) ? foreignNamespace(object, live) : undefined;
}

/** A Job that ran or runs is left unchanged or is run again; it is never updated. */
function verdictOnJob(
  { kind }: KubernetesObject,
  { live, done, overtaken = false }: ObjectFacts,
): Verdict | undefined {
  if (kind !== 'Job') return undefined;
  if (done !== undefined) return { action: 'unchanged', reason: `ran in revision ${done}` };
  if (live === undefined) return undefined;
  const again = (why: string): Verdict => ({
    action: 'replace',
    uid: live.metadata.uid,
    reason: `is run again: ${why}`,
  });
  const last = assess(live);
  if (last.state === 'failed') return again(`the last run ${last.reason}`);
  if (overtaken && last.state === 'done') return again('another version of this Job ran since');
  return { action: 'unchanged', ...(last.state === 'progressing' ? { reason: last.reason } : {}) };
}

function verdictOnAnswer(
  object: KubernetesObject,
  facts: ObjectFacts,
  remade: readonly RemadeClaim[],
): Verdict {
  const {
    live,
    preview: { answer, added },
  } = facts;
  if (answer.outcome === 'conflict') {
    const changes =
      live === undefined || answer.object === undefined ? [] : fieldChanges(live, answer.object);
    return { action: 'refused', reason: 'has a field ownership conflict', changes };
  }
  if (answer.outcome === 'invalid') return verdictOnInvalid(object, facts, answer, remade);
  if (live === undefined) return { action: 'create' };
  if (answer.outcome === 'unasked') return { action: 'unchanged' };
  const changes = fieldChanges(live, withoutTaken(answer.object, added));
  return { action: changes.length === 0 ? 'unchanged' : 'update', changes };
}

/**
 * The verdict on an object that the server does not accept: because of additions by other managers,
 * or because only a new object can have the change.
 */
function verdictOnInvalid(
  object: KubernetesObject,
  { home, live, preview: { desired, added }, claims = [] }: ObjectFacts,
  { message, causes }: Extract<Preview['answer'], { outcome: 'invalid' }>,
  remade: readonly RemadeClaim[],
): Verdict {
  const why =
    causes
      .map((cause) => (cause.field === '' ? cause.message : `${cause.field}: ${cause.message}`))
      .join('; ') || message;
  if (live === undefined) return { action: 'refused', reason: why };
  const faulty = invalidAdditions(added, causes);
  if (faulty.length > 0) {
    const open = faulty.filter(({ policy }) => policy !== 'take');
    if (open.length === 0)
      return { action: 'update', changes: changesOfRemoval(live, desired, added ?? []) };
    return { action: 'refused', reason: why, remedy: removalHint(keyOf(object, home), open) };
  }
  if (!SET_ONCE.test(message + why)) return { action: 'refused', reason: why };
  if (object.kind === 'PersistentVolumeClaim' && !isUnbound(live))
    return { action: 'unchanged', reason: keptClaimText(live, desired) };
  const kept = keptClaims(live, desired, { claims, remade: remade.map(({ name }) => name) });
  return {
    action: 'replace',
    uid: live.metadata.uid,
    reason: `cannot be changed in place: ${why}${kept === undefined ? '' : `; ${kept}`}`,
    changes: changesOfReplacement(live, desired),
  };
}

/** The fields that ccp sets to another value; fields that the server defaults are left out. */
function changesOfReplacement(
  live: LiveObject,
  desired: KubernetesObject,
): PlannedObject['changes'] {
  return fieldChanges(live, desired).filter(({ after }) => after !== undefined);
}

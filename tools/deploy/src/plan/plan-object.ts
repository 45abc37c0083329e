import type { KubernetesObject, LiveObject } from '#ports';
import { foreignNamespace, isForeignNamespace } from '../live/namespace-owner.ts';
import { keyOf } from '../live/object-key.ts';
import type { Preview } from '../live/live-state.ts';
import { assess } from '../wait/assess.ts';
import { atFault, changesOfTaking, remedyOf, withoutTaken } from './additions.ts';
import { isUnbound, keptText } from './claim-templates.ts';
import { fieldChanges } from './field-changes.ts';
import { keptClaims } from './kept-claims.ts';
import type { PlannedObject } from './types.ts';
import { unboundClaims } from './unbound-claims.ts';

/** How the API server says that a field can be set only once; seen in Kubernetes 1.34 to 1.36. */
const SET_ONCE = /immutable|may not change|cannot change|updates to statefulset spec/i;

const APPLY_SET = 'applyset.kubernetes.io/part-of';

/** What is done with one rendered object, and why. `done` is the revision in which its Job ran, if that counts; `overtaken` that another form of it ran since. */
export function planObject(
  object: KubernetesObject,
  of: {
    readonly live: LiveObject | undefined;
    readonly preview: Preview;
    readonly step?: string;
    readonly done?: number;
    readonly overtaken?: boolean;
    /** Of the namespace. */
    readonly claims?: readonly LiveObject[];
  },
): PlannedObject {
  const { live, preview, step, done, overtaken = false, claims = [] } = of;
  const instance = object.metadata.labels?.['app.kubernetes.io/instance'];
  const { desired, force, conflicts, added = [], answer } = preview;
  const remade = unboundClaims(desired, live, claims);
  const base = {
    key: keyOf(object),
    ...(step === undefined ? {} : { step }),
    ...(instance === undefined ? {} : { instance }),
    desired,
    force,
    conflicts,
    ...(added.length === 0 ? {} : { added }),
    changes: [],
    ...(remade.length === 0 ? {} : { remade }),
  };
  const owner = live?.metadata.labels?.[APPLY_SET];
  if (owner !== undefined && owner !== object.metadata.labels?.[APPLY_SET]) {
    const ofSite = live?.metadata.labels?.['app.kubernetes.io/part-of'] ?? owner;
    return { ...base, conflicts: [], action: 'refused', ofSite, reason: `it belongs to another site: ${ofSite}` };
  }
  if (live !== undefined && isForeignNamespace(live)) return { ...base, ...foreignNamespace(object, live) };
  if (object.kind === 'Job') {
    if (done !== undefined) return { ...base, action: 'unchanged', reason: `ran in revision ${done}` };
    const state = live === undefined ? undefined : assess(live);
    if (live !== undefined && state?.state === 'failed')
      return { ...base, action: 'replace', uid: live.metadata.uid, reason: `is run again: the last run ${state.reason}` };
    if (live !== undefined && overtaken && state?.state === 'done')
      return { ...base, action: 'replace', uid: live.metadata.uid, reason: 'is run again: another form of it ran since' };
    if (live !== undefined) return { ...base, action: 'unchanged', ...(state?.state === 'progressing' ? { reason: state.reason } : {}) };
  }
  if (answer.outcome === 'conflict')
    return {
      ...base,
      action: 'refused',
      reason: 'others own fields that it sets',
      changes: live === undefined || answer.object === undefined ? [] : fieldChanges(live, answer.object),
    };
  if (answer.outcome === 'invalid') {
    const why =
      answer.causes.length === 0 ? answer.message : answer.causes.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join('; ');
    const faulty = atFault(added, answer.causes);
    if (live !== undefined && faulty.length > 0) {
      const open = faulty.filter(({ policy }) => policy !== 'take');
      if (open.length === 0) return { ...base, action: 'update', changes: changesOfTaking(live, desired, added) };
      return { ...base, action: 'refused', reason: why, remedy: remedyOf(object, open) };
    }
    if (live === undefined || !SET_ONCE.test(answer.message + why)) return { ...base, action: 'refused', reason: why };
    if (object.kind === 'PersistentVolumeClaim' && !isUnbound(live)) return { ...base, action: 'unchanged', reason: keptText(live, desired) };
    const kept = keptClaims(live, desired, { claims, remade: remade.map(({ name }) => name) });
    return {
      ...base,
      action: 'replace',
      uid: live.metadata.uid,
      reason: `cannot be changed in place: ${why}${kept === undefined ? '' : `; ${kept}`}`,
      changes: changesOfReplacement(live, desired),
    };
  }
  if (live === undefined) return { ...base, action: 'create' };
  if (answer.outcome === 'unasked') return { ...base, action: 'unchanged' };
  const changes = fieldChanges(live, withoutTaken(answer.object, added));
  return { ...base, action: changes.length === 0 ? 'unchanged' : 'update', changes };
}

/** What we set and is otherwise; what the server has by default is left out. */
function changesOfReplacement(live: LiveObject, desired: KubernetesObject): PlannedObject['changes'] {
  return fieldChanges(live, desired).filter(({ after }) => after !== undefined);
}

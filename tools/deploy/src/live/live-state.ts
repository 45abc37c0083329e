import type { InvalidCause, KubernetesObject, LiveObject } from '#ports';
import type { DecidedAddition, DecidedConflict } from '../plan/conflicts.ts';
import type { Ledger } from '../record/ledger.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { ObjectKey } from './object-key.ts';

/** What the server says to applying an object, told without storing it. */
export interface Preview {
  /** What would be applied, without fields that are left to others. */
  readonly desired: KubernetesObject;
  readonly force: boolean;
  readonly conflicts: readonly DecidedConflict[];
  /** What others have added to the object. */
  readonly added?: readonly DecidedAddition[];
  readonly answer:
    | { readonly outcome: 'applied'; readonly object: LiveObject }
    /** `object` is what it would be if all were taken over, where the server tells. */
    | { readonly outcome: 'conflict'; readonly object?: LiveObject }
    | { readonly outcome: 'invalid'; readonly message: string; readonly causes: readonly InvalidCause[] }
    /** Not asked: there is no namespace yet to ask in, or the object can never change. */
    | { readonly outcome: 'unasked' };
}

/** All that a plan needs to know about the cluster. */
export interface LiveState {
  readonly cluster: string;
  /** Rendered objects that are there, and members of the site's ApplySet, by key. */
  readonly objects: ReadonlyMap<ObjectKey, LiveObject>;
  readonly previews: ReadonlyMap<ObjectKey, Preview>;
  /** Pods of the namespace; none where nothing that is done depends on them. */
  readonly pods: readonly LiveObject[];
  readonly claims: readonly LiveObject[];
  /** Names of the namespace's Secrets; absent where this account may not list them. */
  readonly secrets?: ReadonlySet<string>;
  readonly ledger: Ledger;
  /** Oldest first. */
  readonly records: readonly RevisionRecord[];
}

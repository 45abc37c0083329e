import type { InvalidCause, KubernetesObject, LiveObject } from '#ports';
import type { Home, ObjectKey } from '#site';
import type { Ledger } from '../record/ledger.ts';
import type { DataFacts, Outdated } from '../record/outdated-jobs.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { SchemaState } from '../record/schema-states.ts';
import type { DecidedAddition, DecidedConflict } from './conflicts.ts';

/** The server's answer to a dry-run apply of an object. */
export interface Preview {
  /** The object to apply, without fields that are left to other managers. */
  readonly desired: KubernetesObject;
  readonly force: boolean;
  readonly conflicts: readonly DecidedConflict[];
  /** Fields that other managers have added to the object. */
  readonly added?: readonly DecidedAddition[];
  readonly answer:
    | { readonly outcome: 'applied'; readonly object: LiveObject }
    /**
     * `object` is the result if ccp took ownership of all conflicting fields, if the server returns
     * it.
     */
    | { readonly outcome: 'conflict'; readonly object?: LiveObject }
    | {
        readonly outcome: 'invalid';
        readonly message: string;
        readonly causes: readonly InvalidCause[];
      }
    /** No dry run: the namespace does not exist yet, or the object can never change. */
    | { readonly outcome: 'unasked' };
}

/** The state of the cluster that a plan needs. */
export interface LiveState {
  readonly cluster: string;
  /** The site, which the keys depend on. */
  readonly home: Home;
  /** The existing namespaces that the site has or had objects in, the site's own first. */
  readonly namespaces: readonly string[];
  /** Existing rendered objects and members of the site's ApplySet, by key. */
  readonly objects: ReadonlyMap<ObjectKey, LiveObject>;
  readonly previews: ReadonlyMap<ObjectKey, Preview>;
  /** Pods of the site's namespaces; empty if the plan does not depend on them. */
  readonly pods: readonly LiveObject[];
  readonly claims: readonly LiveObject[];
  /** Keys of the namespaces' Secrets; absent if this account may not list them. */
  readonly secrets?: ReadonlySet<ObjectKey>;
  readonly ledger: Ledger;
  /** Facts about the data of StatefulSets; absent if the namespace does not exist. */
  readonly data?: DataFacts;
  /** Jobs in the ledger that must run again; none if absent. */
  readonly outdated?: readonly Outdated[];
  /** The schemas of databases; none if absent. */
  readonly schemas?: readonly SchemaState[];
  /** Oldest first. */
  readonly records: readonly RevisionRecord[];
}

import type { KubernetesObject } from '#ports';
import type { ObjectKey } from '../live/object-key.ts';
import type { Contracted } from '../record/contracted.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { RenderedSite, Step } from '../types.ts';
import type { DecidedAddition, DecidedConflict } from './conflicts.ts';
import type { FieldChange } from './field-changes.ts';
import type { PlanSources } from './plan-sources.ts';

/**
 * What is done with one object. `replace` deletes it and makes it anew, since a field that changes cannot be changed; `refused`
 * is what the server does not accept.
 */
export type ObjectAction = 'create' | 'update' | 'replace' | 'unchanged' | 'refused';

export interface PlannedObject {
  readonly key: ObjectKey;
  /** The step it belongs to; absent for the foundation. */
  readonly step?: string;
  readonly instance?: string;
  readonly action: ObjectAction;
  /** Why, where the action alone does not say it. */
  readonly reason?: string;
  /** What to do about a refusal that is ours. */
  readonly remedy?: string;
  /** The other site that it belongs to. */
  readonly ofSite?: string;
  readonly changes: readonly FieldChange[];
  readonly conflicts: readonly DecidedConflict[];
  /** What others have added to it, if anything; what `take` says is taken away. */
  readonly added?: readonly DecidedAddition[];
  /** What is applied: the rendered object without the fields that are left to others. */
  readonly desired: KubernetesObject;
  /** Whether fields of other managers are taken over. */
  readonly force: boolean;
  /** Whether a replacement takes all pods at once with it. */
  readonly together?: true;
  /** Of the object that a replacement deletes. */
  readonly uid?: string;
  /** Claims of a StatefulSet that are made anew with it. */
  readonly remade?: readonly RemadeClaim[];
}

/** A claim that was never bound and is not what its StatefulSet asks for; the pod that waits for it is made anew too. */
export interface RemadeClaim {
  readonly name: string;
  readonly uid: string;
  readonly pod: string;
  /** What it will ask for: `1Gi of class standard`. */
  readonly asked: string;
  readonly reason: string;
}

export interface PlannedStep extends Pick<Step, 'id' | 'instance' | 'phase' | 'waitsFor' | 'wave'> {
  readonly objects: readonly ObjectKey[];
  /** The revision whose run of the same Job counts. */
  readonly doneIn?: number;
  /** Why it is put off. */
  readonly deferred?: string;
  /** Jobs of the same step in another form that must be gone before it starts. */
  readonly supersedes: readonly PrunedObject[];
  /** Where its workload gets fewer pods that leave by an action. */
  readonly leaving?: Leaving;
}

/** An action that must end well before a workload gets fewer pods; where `to` is 0 it is off, and the action does not run. */
export interface Leaving {
  readonly action: string;
  readonly key: ObjectKey;
  readonly from: number;
  readonly to: number;
}

export interface PrunedObject {
  readonly key: ObjectKey;
  readonly apiVersion: string;
  readonly uid: string;
  readonly reason: string;
}

/** Secrets that are gone and made anew, the Jobs that ran with them and run again, and the pods that use them and start again. */
export interface LostSecrets {
  readonly names: readonly string[];
  readonly jobs: readonly string[];
  readonly pods: readonly { readonly name: string; readonly uid: string }[];
}

/** Pods that are replaced one after the other or together, and what of them changes. */
export interface Roll {
  readonly key: ObjectKey;
  readonly together?: true;
  readonly pods: number;
  readonly why: readonly string[];
}

/** What an apply will do, and nothing else: made from values, carried out by `applyPlan`. */
export interface DeployPlan {
  readonly format: 1;
  readonly site: string;
  readonly namespace: string;
  /** Name of the cluster it was made against. */
  readonly cluster: string;
  /** Hash of what is rendered; two plans of one content lead to the same end. */
  readonly content: string;
  readonly revision: number;
  /** Whether the revision is a new one, or goes on with the one that is there. */
  readonly newRevision: boolean;
  readonly rollbackTo?: number;
  /** False where the cluster holds all of it already and says that it is well. */
  readonly work: boolean;
  readonly objects: readonly PlannedObject[];
  readonly steps: readonly PlannedStep[];
  readonly rolls: readonly Roll[];
  readonly lost?: LostSecrets;
  /** Of its revision, as in its record. */
  readonly members?: NonNullable<RevisionRecord['members']>;
  readonly prune: readonly PrunedObject[];
  /** What is not part of the site any more and stays, with the reason. */
  readonly keep: readonly { readonly key: ObjectKey; readonly reason: string }[];
  /** Flags about others' fields that meet none. */
  readonly idle?: readonly string[];
  /** Why it is an older release that cannot come back. */
  readonly contracted: readonly Contracted[];
  readonly rendered: RenderedSite;
  /** Of a plan file: what it was made of. */
  readonly sources?: PlanSources;
}

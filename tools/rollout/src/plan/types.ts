import type { KubernetesObject } from '#ports';
import type { ObjectKey, RenderedSite, Step } from '#site';
import type { DecidedAddition, DecidedConflict } from '../live/conflicts.ts';
import type { Contracted } from '../record/contracted.ts';
import type { Outdated } from '../record/outdated-jobs.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { SchemaState } from '../record/schema-states.ts';
import type { Unfinished } from '../record/replacements.ts';
import type { RemovedSchema } from '../record/removed-schemas.ts';
import type { FieldChange } from './field-changes.ts';
import type { PlanSources } from './plan-sources.ts';
import type { SchemaHop } from './schema-hops.ts';
import type { SeriesHop } from '../record/series-hop.ts';

/**
 * The action for one object. `replace` deletes it and creates it again, because an immutable field
 * changes; `refused` is an object that the server does not accept.
 */
export type ObjectAction = 'create' | 'update' | 'replace' | 'unchanged' | 'refused';

export interface PlannedObject {
  readonly key: ObjectKey;
  /** The step of the object; absent for the foundation. */
  readonly step?: string;
  readonly instance?: string;
  readonly action: ObjectAction;
  /** The reason, if the action alone does not explain it. */
  readonly reason?: string;
  /** The hint for a refusal by ccp. */
  readonly remedy?: string;
  /** The other site that owns the object. */
  readonly ofSite?: string;
  readonly changes: readonly FieldChange[];
  readonly conflicts: readonly DecidedConflict[];
  /** Fields that other managers have added; those with the policy `take` are removed. */
  readonly added?: readonly DecidedAddition[];
  /** The object to apply: rendered, without the fields that are left to other managers. */
  readonly desired: KubernetesObject;
  /** Whether ccp takes ownership of other managers' fields. */
  readonly force: boolean;
  /** Whether it is written after everything else, when nothing has failed. */
  readonly last?: true;
  /** Whether a replacement stops all pods at the same time. */
  readonly together?: true;
  /** The uid of the object that a replacement deletes. */
  readonly uid?: string;
  /** Claims of a StatefulSet that are created again with it. */
  readonly remade?: readonly RemadeClaim[];
}

/**
 * A claim that was never bound and differs from its StatefulSet's template; the pod that waits for
 * it is created again too.
 */
export interface RemadeClaim {
  readonly name: string;
  readonly uid: string;
  readonly pod: string;
  /** The new request: `1Gi of class standard`. */
  readonly asked: string;
  readonly reason: string;
}

export interface PlannedStep extends Pick<
  Step,
  'id' | 'instance' | 'phase' | 'waitsFor' | 'wave' | 'retires'
> {
  readonly objects: readonly ObjectKey[];
  /** The revision in which the same Jobs ran. */
  readonly doneIn?: number;
  /** Why the step is postponed. */
  readonly deferred?: string;
  /** Jobs of earlier versions of the step, which are deleted before it starts. */
  readonly supersedes: readonly PrunedObject[];
  /** CronJobs that are suspended before it starts migrations. */
  readonly suspends?: readonly SuspendedCronJob[];
  /** Set if its workload is scaled down after an action. */
  readonly leaving?: Leaving;
}

/** A CronJob that starts no Jobs until its own step writes it again. */
export interface SuspendedCronJob {
  readonly key: ObjectKey;
  /** Whether its running Jobs are deleted, since their code may not work with the new schema. */
  readonly stopJobs: boolean;
}

/**
 * An action that must succeed before a workload is scaled down. If `to` is 0 the workload stops
 * and the action does not run.
 */
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

/**
 * Missing Secrets (`NAME`, or `NAMESPACE/NAME` of a copy) that are created again, the Jobs that
 * used them and run again, and the pods that use them and restart.
 */
export interface LostSecrets {
  readonly names: readonly string[];
  readonly jobs: readonly string[];
  readonly pods: readonly {
    readonly name: string;
    readonly uid: string;
    /** The site's own if absent. */
    readonly namespace?: string;
  }[];
  /**
   * Copies of missing Secrets as `NAMESPACE/NAME`, whose values are out of date: they are deleted
   * before the pods restart.
   */
  readonly copies?: readonly string[];
}

/** Pods that are replaced one by one or together, and the changes that cause it. */
export interface Roll {
  readonly key: ObjectKey;
  readonly together?: true;
  readonly pods: number;
  readonly why: readonly string[];
}

/** Everything that an apply will do: plain values, carried out by `applyPlan`. */
export interface DeployPlan {
  readonly format: 1;
  readonly site: string;
  readonly namespace: string;
  /** Name of the cluster it was made against. */
  readonly cluster: string;
  /** Hash of the rendered objects; two plans with equal content lead to the same state. */
  readonly content: string;
  readonly revision: number;
  /** Whether the revision is new; false if the apply continues the newest one. */
  readonly newRevision: boolean;
  readonly rollbackTo?: number;
  /** False if the cluster is up to date: nothing is written, only read. */
  readonly work: boolean;
  readonly objects: readonly PlannedObject[];
  readonly steps: readonly PlannedStep[];
  readonly rolls: readonly Roll[];
  readonly lost?: LostSecrets;
  /** Jobs that run again because the data that they depend on is other data. */
  readonly outdated?: readonly Outdated[];
  /** Databases with migrations that no recorded release has. */
  readonly unknownSchemas?: readonly SchemaState[];
  /** Actions that may have replaced a part of the data only. */
  readonly unfinished?: readonly Unfinished[];
  /** Members of the revision, as in its record. */
  readonly members?: NonNullable<RevisionRecord['members']>;
  readonly prune: readonly PrunedObject[];
  /** Objects that are no longer part of the site and stay, with the reason. */
  readonly keep: readonly { readonly key: ObjectKey; readonly reason: string }[];
  /** Flags about other managers' fields that match no field. */
  readonly idle?: readonly string[];
  /** Workloads without enough nodes; an apply warns of them. */
  readonly shortages?: readonly string[];
  /** Why this is an older release that cannot be applied again. */
  readonly contracted: readonly Contracted[];
  /** Destructive migrations that ran and that this older release does not know. */
  readonly removedSchemas?: readonly RemovedSchema[];
  /** Migrations that it runs. */
  readonly schemaHops?: readonly SchemaHop[];
  /** The change from the series of the last successful revision. */
  readonly seriesHop?: SeriesHop;
  readonly rendered: RenderedSite;
  /** In a plan file: the files that it was made from. */
  readonly sources?: PlanSources;
}

import type { ActionParameter, AppSpec, Phase, Site, SpecScalar } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { ImageSet, SchemaRevisions } from '#release';
import type { ObjectKey } from './object-key.ts';

/** Everything a render depends on. */
export interface SiteInput {
  readonly site: Site;
  /** By name, as `readAppSpecs` gives them. */
  readonly appSpecs: ReadonlyMap<string, AppSpec>;
  readonly imageSet: Pick<ImageSet, 'series' | 'images'>;
}

/** One node of the deployment graph: objects that are applied together and waited for. */
export interface Step {
  /**
   * `<instance>/job/<name>`, `<instance>/setup/<requirement>`, `<instance>/workload/<name>`,
   * `<instance>/retire/<requirement>`, which removes a password after a rotation,
   * `<instance>/schedule/<name>` or `<instance>/expose/<endpoint>`; steps of the site are
   * `secrets`, which creates Secrets, `gateway` and `certificate/<secret>`.
   */
  readonly id: string;
  /** Instance; absent for steps of the site. */
  readonly instance?: string;
  readonly phase: Phase | 'secrets' | 'setup' | 'roll' | 'expose' | 'schedule';
  /** Steps that must be done first, in order of name. */
  readonly waitsFor: readonly string[];
  /**
   * Longest path from a step without dependencies; steps of one wave do not wait for each other.
   */
  readonly wave: number;
  readonly objects: readonly KubernetesObject[];
  /** Secrets whose values must be the same in all pods of its workload at any time. */
  readonly together?: readonly string[];
  /**
   * True if its DaemonSet is for the nodes outside all node groups of the site; there may be no
   * such node.
   */
  readonly leftOver?: boolean;
  /** Id of the action that must succeed before the workload is scaled down. */
  readonly leave?: string;
  /** Secrets whose values it makes invalid: it starts when no pod uses them any more. */
  readonly retires?: readonly string[];
}

/** A site as objects: first the objects outside all steps, then the steps. */
export interface RenderedSite {
  /** Series of its images; absent in records of earlier versions of ccp. */
  readonly series?: string;
  /**
   * Namespace, accounts, ConfigMaps, services, budgets, policies; in the order they are applied.
   */
  readonly foundation: readonly KubernetesObject[];
  /** By wave, then by id. */
  readonly steps: readonly Step[];
  /** Secrets that the cluster must have; their values are generated in the cluster only. */
  readonly secrets: readonly SecretRequest[];
  /** By id. */
  readonly actions: readonly RenderedAction[];
  /** By instance; absent if no image has migrations. */
  readonly schemas?: Readonly<Record<string, InstanceSchema>>;
}

/** The database schema that the code of an instance expects. */
export interface InstanceSchema {
  /** Migrations that its jobs run before the workloads are updated. */
  readonly revisions: SchemaRevisions;
  /** Migrations that its jobs run after the workloads are updated; absent if there are none. */
  readonly contracting?: SchemaRevisions;
  /** Databases by name, each with the workload that serves it. */
  readonly databases: Readonly<Record<string, ObjectKey>>;
  /** Workloads that use the database. */
  readonly users: readonly ObjectKey[];
}

/** A job that can be started: an action, or a check of whether an instance works. */
export interface RenderedAction {
  /** `<instance>/<name>`. */
  readonly id: string;
  readonly kind: 'action' | 'check';
  readonly description: string;
  readonly parameters: Readonly<Record<string, ActionParameter>>;
  /** Claims that it mounts; made when it first runs. */
  readonly claims: readonly KubernetesObject[];
  /** Without values of parameters; a run's name adds a hash. */
  readonly job: KubernetesObject;
  /** StatefulSet whose data it replaces. */
  readonly replaces?: ObjectKey;
  /**
   * Workloads that stop while it replaces the data: those that use it, and the caches that have
   * answers from it. CronJobs are suspended.
   */
  readonly stops?: readonly ObjectKey[];
  /** Id of the action that must succeed before they stop. */
  readonly precheck?: string;
  /** Seconds after which its last good run is too old. */
  readonly maxAge?: number;
}

/** Values of an action's parameters, by name. */
export type ParameterValues = Readonly<Record<string, SpecScalar>>;

/** A Secret to be generated once: key -> form of its random value. */
export interface SecretRequest {
  readonly name: string;
  readonly instance: string;
  readonly keys: Readonly<Record<string, 'password' | 'fernet-key'>>;
  /** Other namespaces with pods that use it, each of which gets a copy. */
  readonly copies?: readonly string[];
  /**
   * Previous generations, the newest first. Fernet keys continue from the first one that exists:
   * its staged key becomes the primary key. `keep` is the total number of keys.
   */
  readonly previous?: { readonly names: readonly string[]; readonly keep: number };
}

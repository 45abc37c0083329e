import type { ImageName, Position } from '#core';
import type { TextRules } from '#formats';
import type { RequirementCondition, ConfigSpec, SpecScalar } from './config-spec.ts';
import type { ProbeSpec, Resources, SecurityExceptions } from './container-parts.ts';
import type { Setting } from './setting.ts';
import type { Volume } from './volume.ts';

/**
 * `node-service`: pods of another workload serve the pods on the same node, for example by a
 * socket. `members`: addresses from which a client chooses one itself.
 */
export type RequirementKind =
  | 'database'
  | 'message-bus'
  | 'cache'
  | 'identity-user'
  | 'endpoint'
  | 'members'
  | 'node-service'
  | 'secret';

/** A service of another app or a Secret that an app needs, unless it is `optional`. */
export interface Requirement {
  readonly kind: RequirementKind;
  readonly optional?: boolean;
  /** Database, virtual host or user name; the instance's name if absent. */
  readonly name?: string;
  /** Appended to the name, so that several requirements of one kind have separate accounts. */
  readonly suffix?: string;
  /** Suffixes of further databases for the same account. */
  readonly also?: readonly string[];
  /** False if no step waits for the provider. */
  readonly wait?: boolean;
  /** Service type of an endpoint; type of members or of a node-service. */
  readonly type?: string;
  /** Keys that the site's Secret must contain. */
  readonly keys?: readonly string[];
}

/**
 * A service of an app. `setup` runs once for each consumer, `retire` removes passwords or accounts
 * of earlier generations.
 */
export interface Provision {
  /** `metrics` cannot be required by name: `${site.metrics}` lists all of the site. */
  readonly kind: Exclude<RequirementKind, 'secret'> | 'metrics';
  readonly workload: string;
  /** Absent for a node-service. */
  readonly port?: string;
  /** Scheme of the URL; SQLAlchemy's dialect and driver of a database; prefix of each member. */
  readonly scheme?: string;
  /** Path of an endpoint's URL. */
  readonly path?: string;
  /** Query of a database's URL, without `?`. */
  readonly query?: string;
  /** Service type of an endpoint; type of members or of a node-service. */
  readonly type?: string;
  /** Traffic beyond short requests that proxies in front of the endpoint must allow. */
  readonly carries?: 'uploads' | 'websockets';
  /** False leaves the endpoint out of the identity service's catalogue. */
  readonly catalogue?: boolean;
  /** Password in `secrets` that the app shares with consumers of the endpoint. */
  readonly secret?: string;
  readonly setup?: JobContainer;
  readonly retire?: { readonly env: NonNullable<JobContainer['env']> };
  /** `generation`: each generation of a consumer's password has an account of its own. */
  readonly accounts?: 'consumer' | 'generation';
}

/** A Secret that is generated in the cluster once: one random value for each key. */
export interface SecretSpec {
  readonly generate: 'password' | 'fernet-keys';
  /** Number of Fernet keys, named from `0`; a password has the one key `password`. */
  readonly keys?: number;
  /** Number of Fernet keys that a rotation keeps, including the new one. */
  readonly keep?: number;
  /**
   * True if pods with different values cannot work together; a rotation stops all of them first.
   */
  readonly together?: boolean;
}

/**
 * `peers`: pods of the same instance. `consumers`: also instances that require the app. `watchers`:
 * also monitoring apps and the site's `watchers`.
 */
export type PortPeers = 'peers' | 'consumers' | 'watchers' | 'anyone';

/** A port of a container, by name in `ports`. */
export interface PortSpec {
  readonly port: number;
  /** Clients that can connect. */
  readonly from: PortPeers | readonly PortPeers[];
}

/** Properties of every container, in a workload, a job or an action. */
export interface ContainerTemplate {
  /** Image from the image set; the app's own if absent. */
  readonly image?: ImageName;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, SpecScalar>>;
  /** Configuration file -> absolute path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Volume -> absolute path in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Path of the file with the site's CA certificates, and the variable set to this path. */
  readonly ca?: { readonly path: string; readonly env: string };
  readonly resources: Resources;
  readonly security?: SecurityExceptions;
}

/** A container of a workload, by name in `containers`. */
export interface Container extends ContainerTemplate {
  readonly ports?: Readonly<Record<string, PortSpec>>;
  readonly probes?: {
    readonly startup?: ProbeSpec;
    readonly readiness?: ProbeSpec;
    readonly liveness?: ProbeSpec;
  };
  /** Seconds between removal from Services and the signal to stop. */
  readonly drain?: number;
}

/** The allowed numbers of replicas. */
export interface ReplicaRule {
  readonly default: number;
  /** `odd` accepts only odd numbers, so that a quorum exists. */
  readonly rule: 'any' | 'odd';
  readonly maximum?: number;
  /** Action that must succeed before the number is reduced; it runs with the new numbers. */
  readonly leave?: string;
}

interface AnyWorkload {
  /** Placement role; the site defines which nodes have it. */
  readonly role: string;
  readonly when?: RequirementCondition;
  /**
   * Workloads that must run first; `NAME:local` requires a pod of a workload or node-service on the
   * same node.
   */
  readonly requires?: readonly string[];
  /** Namespaces of the node that the pods share, each with its reason. */
  readonly host?: {
    readonly network?: string;
    readonly processes?: string;
    readonly memory?: string;
  };
  /**
   * Whether the pause process is process 1 and reaps orphaned processes; only with one container.
   */
  readonly shareProcessNamespace?: boolean;
  /** Seconds between the request to stop and the forced stop. */
  readonly grace: number;
  readonly volumes?: Readonly<Record<string, Volume>>;
  readonly containers: Readonly<Record<string, Container>>;
}

/** A workload with a number of pods on the nodes of its role. */
export interface ReplicatedWorkload extends AnyWorkload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly replicas: ReplicaRule;
  /** Whether two replicas can share a node. */
  readonly spread: 'required' | 'preferred';
  /** Deployment: pods above the desired number during a rolling update. */
  readonly surge?: number;
  /** StatefulSet: whether pods start one after the other. */
  readonly start?: 'ordered' | 'parallel';
  /** StatefulSet: all pods stop before the first pod of another series starts. */
  readonly together?: 'series';
  /** StatefulSet: why its Service routes only to one pod, which the pods elect and label. */
  readonly leader?: string;
  /** Limit for planned disruptions; with the rule `odd`, a quorum always remains. */
  readonly disruption?: { readonly maxUnavailable: number };
}

/** One pod on every node of the role. */
export interface NodeWorkload extends AnyWorkload {
  readonly kind: 'DaemonSet';
  /** Number of nodes without a pod during a rolling update. */
  readonly disruption?: { readonly maxUnavailable: number };
  readonly replicas?: undefined;
  readonly spread?: undefined;
  readonly surge?: undefined;
  readonly start?: undefined;
  readonly together?: undefined;
  readonly leader?: undefined;
}

/** A workload by name in `workloads`: pods that run all the time. */
export type Workload = ReplicatedWorkload | NodeWorkload;

/**
 * `bootstrap` runs before schema changes, `expand` and `migrate` before the workloads are updated,
 * `contract` and `post` after.
 */
export type Phase = 'bootstrap' | 'expand' | 'migrate' | 'contract' | 'post';

/** The single container of a pod that runs to completion. */
export interface JobContainer extends ContainerTemplate {
  readonly volumes?: Readonly<Record<string, Volume>>;
  /** Time limit in seconds. */
  readonly timeout?: number;
}

/** A job by name in `jobs`; it runs again only if its content changes. */
export interface Job extends JobContainer {
  readonly phase: Phase;
  /** Placement role of the job's pod. */
  readonly role: string;
  /** Jobs of the same phase that must finish first. */
  readonly after?: readonly string[];
}

/** A value that the caller of an action passes; never a secret: it is stored in the history. */
export interface ActionParameter extends TextRules {
  readonly description: string;
  readonly type: 'text' | 'whole-number' | 'boolean';
  readonly default?: SpecScalar;
}

/** A job started by a person or a schedule; it can use `${parameters.<name>}`. */
export interface Action extends JobContainer {
  readonly description: string;
  /** Placement role of its pod. */
  readonly role: string;
  readonly parameters?: Readonly<Record<string, ActionParameter>>;
  /** StatefulSet whose data the action replaces: Jobs that depend on it run again. */
  readonly replaces?: string;
  /** Action that must succeed before the users of the data stop. */
  readonly precheck?: string;
  /** Seconds after which the last good run is too old, so that the status warns. */
  readonly maxAge?: number;
  /** Secret of Fernet keys that the action changes in place, with an account of its own. */
  readonly rotates?: string;
}

/** A job that checks whether an app works: it must exit with 0. */
export type Check = Omit<Action, 'parameters' | 'replaces' | 'precheck' | 'maxAge' | 'rotates'>;

/** An action that the cluster starts at set times. */
export interface Schedule {
  readonly action: string;
  /** Cron schedule with five fields, in UTC. */
  readonly cron: string;
  /** Whether the schedule is on by default. */
  readonly enabled: boolean;
  readonly parameters?: Readonly<Record<string, SpecScalar>>;
}

/** A persistent claim that the actions of an instance share. */
export interface SharedClaim {
  readonly size: string;
  readonly storage?: string;
}

/** images/<name>/app.yaml, checked: how an app runs on Kubernetes. */
export interface AppSpec {
  readonly name: string;
  readonly schema: string;
  readonly title: string;
  /** Numeric user and group of every container; they match the image's user. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** True for apps that monitor a site; ports with `from: watchers` accept their connections. */
  readonly watches?: boolean;
  /**
   * Why the egress of its pods is not limited: they connect to addresses in the site's
   * configuration.
   */
  readonly outside?: string;
  /** Typed values that a site can set; `${settings.<name>}`. */
  readonly settings?: Readonly<Record<string, Setting>>;
  readonly requires?: Readonly<Record<string, Requirement>>;
  readonly provides?: Readonly<Record<string, Provision>>;
  readonly secrets?: Readonly<Record<string, SecretSpec>>;
  readonly config?: Readonly<Record<string, ConfigSpec>>;
  readonly workloads: Readonly<Record<string, Workload>>;
  readonly jobs?: Readonly<Record<string, Job>>;
  readonly claims?: Readonly<Record<string, SharedClaim>>;
  readonly actions?: Readonly<Record<string, Action>>;
  readonly checks?: Readonly<Record<string, Check>>;
  readonly schedule?: Readonly<Record<string, Schedule>>;
  /** Position of a value in the file. */
  position(path: readonly (string | number)[]): Position;
}

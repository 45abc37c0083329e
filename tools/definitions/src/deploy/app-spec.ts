import type { ImageName, Position, TextRules } from '#core';
import type { Condition, ConfigSpec, SpecScalar } from './config-spec.ts';
import type { Setting } from './setting.ts';

/**
 * `node-service` is what pods of another workload give to those on the same node, as by a socket in a folder of it; `members` are
 * addresses of which a client chooses one itself.
 */
export type RequirementKind = 'database' | 'message-bus' | 'cache' | 'identity-user' | 'endpoint' | 'members' | 'node-service' | 'secret';

/** Something of another app, or of the cluster, that an app cannot run without unless it is `optional`. */
export interface Requirement {
  readonly kind: RequirementKind;
  readonly optional?: boolean;
  /** Database, virtual host or user name; the instance's name where absent. */
  readonly name?: string;
  /** Added to that name: an account of its own for each of several requirements of one kind. */
  readonly suffix?: string;
  /** Further databases of the same account: its name with each of these added. */
  readonly also?: readonly string[];
  /** False where the app starts before its provider and uses it once it is there: no step waits for it. */
  readonly wait?: boolean;
  /** Service type of an endpoint; what members or a node-service are. */
  readonly type?: string;
  /** Keys that a Secret of the site must hold. */
  readonly keys?: readonly string[];
}

/** What an app gives to others. `setup` runs once for each consumer, with `${consumer.…}` references. */
export interface Provision {
  /** `metrics` is not required by name: `${site.metrics}` lists all of the site. */
  readonly kind: Exclude<RequirementKind, 'secret'> | 'metrics';
  readonly workload: string;
  /** Of every kind but a node-service. */
  readonly port?: string;
  /** Scheme of the URL that consumers get; of a database SQLAlchemy's dialect and driver; what stands before each of members, with a colon. */
  readonly scheme?: string;
  /** Path of an endpoint's URL. */
  readonly path?: string;
  /** Query of a database's URL, without `?`. */
  readonly query?: string;
  /** Service type of an endpoint; what members or a node-service are. */
  readonly type?: string;
  /** What requests to an endpoint carry beyond short calls; what leads there lets it through. */
  readonly carries?: 'uploads' | 'websockets';
  /** False keeps an endpoint out of identity's catalogue. */
  readonly catalogue?: boolean;
  /** Secret of `secrets`, a password, that consumers of an endpoint share with the app. */
  readonly secret?: string;
  readonly setup?: JobContainer;
}

/** A Secret that is generated in the cluster once: one random value for each key. */
export interface SecretSpec {
  readonly generate: 'password' | 'fernet-keys';
  /** Number of Fernet keys, named from `0`; a password has the one key `password`. */
  readonly keys?: number;
  /** Fernet keys that a rotation keeps, the new one included. */
  readonly keep?: number;
  /** True where all pods of a workload must have the same value: after a rotation they stop before the first starts again. */
  readonly together?: boolean;
}

/** Pods of the same instance; with them instances that require the app, or instances that watch the site and whom the site names for that; anyone. */
export type PortPeers = 'peers' | 'consumers' | 'watchers' | 'anyone';

/** A port of a container, by name in `ports`. */
export interface PortSpec {
  readonly port: number;
  /** Who may connect. */
  readonly from: PortPeers | readonly PortPeers[];
}

/** How a container is asked whether it has started, is ready, or lives; exactly one of `http`, `tcp` and `exec`. Ports by their names. */
export interface Probe {
  readonly http?: { readonly port: string; readonly path: string };
  readonly tcp?: { readonly port: string };
  readonly exec?: readonly string[];
  /** Seconds between two; default 10. */
  readonly period?: number;
  /** Seconds to answer in; default 5. */
  readonly timeout?: number;
  /** How many in a row count; default 3. */
  readonly failures?: number;
}

/** What a container gets at least and at most, in Kubernetes' quantities. */
export interface Resources {
  readonly requests?: { readonly cpu?: string; readonly memory?: string };
  readonly limits?: { readonly cpu?: string; readonly memory?: string };
}

/** What a container takes beyond the restricted profile; each with its reason. */
export interface SecurityExceptions {
  /** All rights on the node; the strictest profile is what a pod without exceptions has. */
  readonly privileged?: string;
  readonly root?: string;
  /** A process of it may gain rights that it was not started with, as sudo does. */
  readonly escalation?: string;
  readonly writableRoot?: string;
  readonly capabilities?: Readonly<Record<string, string>>;
}

/** What a container of any pod says, of a workload, a job or an action. */
export interface ContainerTemplate {
  /** Image of the set; the app's own where absent. */
  readonly image?: ImageName;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, SpecScalar>>;
  /** Configuration file -> absolute path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Volume -> absolute path in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  /** Where the site has authorities of its own: the file that they are in, and the variable that names it. */
  readonly ca?: { readonly path: string; readonly env: string };
  readonly resources: Resources;
  readonly security?: SecurityExceptions;
}

/** A container of a workload, by name in `containers`. */
export interface Container extends ContainerTemplate {
  readonly ports?: Readonly<Record<string, PortSpec>>;
  readonly probes?: { readonly startup?: Probe; readonly readiness?: Probe; readonly liveness?: Probe };
  /** Seconds that a stopping container waits before it is told, so that Services forget it first. */
  readonly drain?: number;
}

/** Exactly one of the members. */
export interface Volume {
  /** A claim of each pod of a StatefulSet; `storage` is the site's name of a storage class. */
  readonly claim?: { readonly size: string; readonly storage?: string };
  readonly ephemeral?: { readonly size: string; readonly memory?: boolean };
  /** Name of a Secret of `secrets`, each key a file. */
  readonly secret?: string;
  readonly host?: HostVolume;
  /** Name of a claim of `claims`; for actions. */
  readonly shared?: string;
}

/** A path of the node, with the reason why the app needs it. */
export interface HostVolume {
  readonly path: string;
  readonly readOnly: boolean;
  readonly reason: string;
  /** What must be there; `folder` is made where it is missing. Nothing is looked at where absent. */
  readonly type?: 'folder' | 'existing-folder' | 'file' | 'socket' | 'device';
  /** Mounts made later that are seen: by the container from the node, or both ways (privileged containers only). */
  readonly propagation?: 'from-node' | 'both';
}

/** How many replicas a site may give a workload. */
export interface ReplicaRule {
  readonly default: number;
  /** `odd` keeps a quorum decidable; `any` takes every number. */
  readonly rule: 'any' | 'odd';
  readonly maximum?: number;
  /** Action that must end well before there are fewer; it runs with the new numbers. */
  readonly leave?: string;
}

interface AnyWorkload {
  /** Placement role; the site says which nodes have it. */
  readonly role: string;
  readonly when?: Condition;
  /** What must run before: workloads of the app, or with `:local` workloads and node-services that must have a pod on the same node. */
  readonly requires?: readonly string[];
  /** What of the node's own the pods share, each with its reason. */
  readonly host?: { readonly network?: string; readonly processes?: string; readonly memory?: string };
  /** Whether process 1 is the one that holds the pod's namespaces, which reaps what daemons leave; only with one container. */
  readonly shareProcessNamespace?: boolean;
  /** Seconds from the request to stop until it is forced. */
  readonly grace: number;
  readonly volumes?: Readonly<Record<string, Volume>>;
  readonly containers: Readonly<Record<string, Container>>;
}

/** A number of pods, anywhere on the nodes of the role. */
export interface ReplicatedWorkload extends AnyWorkload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly replicas: ReplicaRule;
  /** Whether two replicas may share a node. */
  readonly spread: 'required' | 'preferred';
  /** Deployment: pods above the wanted number while it rolls. */
  readonly surge?: number;
  /** StatefulSet: whether pods start one after the other. */
  readonly start?: 'ordered' | 'parallel';
  /** StatefulSet: whether its pods stop before the first of another series starts, as members do that one series alone can be of. */
  readonly together?: 'series';
  /** Pods that may be away at once on purpose; never so many that an odd rule loses its quorum. */
  readonly disruption?: { readonly maxUnavailable: number };
}

/** One pod on every node of the role. */
export interface NodeWorkload extends AnyWorkload {
  readonly kind: 'DaemonSet';
  /** Nodes at once whose pod may be away while it rolls. */
  readonly disruption?: { readonly maxUnavailable: number };
  readonly replicas?: undefined;
  readonly spread?: undefined;
  readonly surge?: undefined;
  readonly start?: undefined;
  readonly together?: undefined;
}

/** A workload by name in `workloads`: what the pods of an app are that run on. */
export type Workload = ReplicatedWorkload | NodeWorkload;

/** `bootstrap` before the schema, `expand` and `migrate` before the workloads roll, `contract` and `post` after. */
export type Phase = 'bootstrap' | 'expand' | 'migrate' | 'contract' | 'post';

/** The one container of a pod that runs to its end. */
export interface JobContainer extends ContainerTemplate {
  readonly volumes?: Readonly<Record<string, Volume>>;
  /** Seconds until the job is given up. */
  readonly timeout?: number;
}

/** A job by name in `jobs`: once for each form of it, in its phase of a deployment. */
export interface Job extends JobContainer {
  readonly phase: Phase;
  /** Placement role of the job's pod. */
  readonly role: string;
  /** Jobs of the same phase that come first. */
  readonly after?: readonly string[];
}

/** A value that who runs an action gives; without a default it must be given. Never a secret: it is kept in the history. */
export interface ActionParameter extends TextRules {
  readonly description: string;
  readonly type: 'text' | 'whole-number' | 'boolean';
  readonly default?: SpecScalar;
}

/** A job that a person or a schedule starts; `${parameters.<name>}` in its environment and command. */
export interface Action extends JobContainer {
  readonly description: string;
  /** Placement role of its pod. */
  readonly role: string;
  readonly parameters?: Readonly<Record<string, ActionParameter>>;
}

/** A job that says whether an app does what it is for: it must end with 0. */
export type Check = Omit<Action, 'parameters'>;

/** An action that the cluster starts by itself. */
export interface Schedule {
  readonly action: string;
  /** Five fields as of cron, in UTC. */
  readonly cron: string;
  /** Whether a site has it that says nothing. */
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
  /** Numeric user and group of every container; those of the image. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Whether it looks after all apps of a site, and so is let in by ports from `watchers`. */
  readonly watches?: boolean;
  /** Typed values a site may set; `${settings.<name>}`. */
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
  /** Where a value stands in the file. */
  position(path: readonly (string | number)[]): Position;
}

import type { ImageName, Position } from '#core';

/** A plain value of a configuration file or an environment; text may hold `${reference}`s. `null` takes a lower layer's value away. */
export type SpecScalar = string | number | boolean;

/** One text for each item of a list reference; `${item}` in `value` is the item. */
export interface EachValue {
  readonly each: string;
  readonly value: string;
}

export type ConfigValue = SpecScalar | EachValue | readonly ConfigValue[] | { readonly [key: string]: ConfigValue | null };

/** Part of a configuration file; later layers win key by key, a whole text by text. */
export interface ConfigLayer {
  /** `requires.<name>`: the layer counts only where that optional requirement is met. */
  readonly when?: string;
  readonly content: string | { readonly [key: string]: ConfigValue | null };
}

export interface ConfigSpec {
  readonly format: 'ini' | 'properties' | 'yaml' | 'text';
  readonly executable?: boolean;
  readonly layers: readonly ConfigLayer[];
}

export type RequirementKind = 'database' | 'message-bus' | 'cache' | 'identity-user' | 'endpoint' | 'secret';

/** Something of another app, or of the cluster, that an app cannot run without unless it is `optional`. */
export interface Requirement {
  readonly kind: RequirementKind;
  readonly optional?: boolean;
  /** Database, virtual host or user name; the instance's name where absent. */
  readonly name?: string;
  /** Service type of an endpoint. */
  readonly type?: string;
  /** Keys that a Secret of the site must hold. */
  readonly keys?: readonly string[];
}

/** What an app gives to others. `setup` runs once for each consumer, with `${consumer.…}` references. */
export interface Provision {
  readonly kind: Exclude<RequirementKind, 'secret'>;
  readonly workload: string;
  readonly port: string;
  /** Scheme of the URL that consumers get; of a database SQLAlchemy's dialect and driver. */
  readonly scheme?: string;
  /** Path of an endpoint's URL. */
  readonly path?: string;
  /** Query of a database's URL, without `?`. */
  readonly query?: string;
  /** Service type of an endpoint. */
  readonly type?: string;
  readonly setup?: JobContainer;
}

/** A Secret that is generated in the cluster once: one random value for each key. */
export interface SecretSpec {
  readonly generate: 'password' | 'fernet-keys';
  /** Number of Fernet keys, named from `0`; a password has the one key `password`. */
  readonly keys?: number;
}

export interface PortSpec {
  readonly port: number;
  /** Who may connect: instances that require the app, pods of the same instance, or anyone. */
  readonly from: 'consumers' | 'peers' | 'anyone';
}

export interface Probe {
  readonly http?: { readonly port: string; readonly path: string };
  readonly tcp?: { readonly port: string };
  readonly exec?: readonly string[];
  /** Seconds. */
  readonly period?: number;
  readonly timeout?: number;
  readonly failures?: number;
}

export interface Resources {
  readonly requests?: { readonly cpu?: string; readonly memory?: string };
  readonly limits?: { readonly cpu?: string; readonly memory?: string };
}

/** What a container takes beyond the restricted profile; each with its reason. */
export interface SecurityExceptions {
  readonly root?: string;
  readonly writableRoot?: string;
  readonly capabilities?: Readonly<Record<string, string>>;
}

export interface ContainerTemplate {
  /** Image of the set; the app's own where absent. */
  readonly image?: ImageName;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, SpecScalar>>;
  /** Configuration file -> absolute path in the container. */
  readonly files?: Readonly<Record<string, string>>;
  /** Volume -> absolute path in the container. */
  readonly mounts?: Readonly<Record<string, string>>;
  readonly resources: Resources;
  readonly security?: SecurityExceptions;
}

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
  readonly host?: { readonly path: string; readonly readOnly: boolean; readonly reason: string };
}

export interface ReplicaRule {
  readonly default: number;
  /** `odd` keeps a quorum decidable; `any` takes every number. */
  readonly rule: 'any' | 'odd';
  readonly maximum?: number;
}

export interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  /** Placement role; the site says which nodes have it. */
  readonly role: string;
  readonly replicas: ReplicaRule;
  /** Whether two replicas may share a node. */
  readonly spread: 'required' | 'preferred';
  /** Deployment: pods above the wanted number while it rolls. */
  readonly surge?: number;
  /** StatefulSet: whether pods start one after the other. */
  readonly start?: 'ordered' | 'parallel';
  /** Pods that may be away at once on purpose; never so many that an odd rule loses its quorum. */
  readonly disruption?: { readonly maxUnavailable: number };
  /** Seconds from the request to stop until it is forced. */
  readonly grace: number;
  readonly volumes?: Readonly<Record<string, Volume>>;
  readonly containers: Readonly<Record<string, Container>>;
}

/** `bootstrap` before the schema, `expand` and `migrate` before the workloads roll, `contract` and `post` after. */
export type Phase = 'bootstrap' | 'expand' | 'migrate' | 'contract' | 'post';

export interface JobContainer extends ContainerTemplate {
  readonly volumes?: Readonly<Record<string, Volume>>;
  /** Seconds until the job is given up. */
  readonly timeout?: number;
}

export interface Job extends JobContainer {
  readonly phase: Phase;
  /** Placement role of the job's pod. */
  readonly role: string;
  /** Jobs of the same phase that come first. */
  readonly after?: readonly string[];
}

/** images/<name>/app.yaml, checked: how an app runs on Kubernetes. */
export interface AppSpec {
  readonly name: string;
  readonly schema: string;
  readonly title: string;
  /** Numeric user and group of every container; those of the image. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** Typed values a site may set; `${settings.<name>}`. */
  readonly settings?: Readonly<Record<string, { readonly description: string; readonly default: SpecScalar }>>;
  readonly requires?: Readonly<Record<string, Requirement>>;
  readonly provides?: Readonly<Record<string, Provision>>;
  readonly secrets?: Readonly<Record<string, SecretSpec>>;
  readonly config?: Readonly<Record<string, ConfigSpec>>;
  readonly workloads: Readonly<Record<string, Workload>>;
  readonly jobs?: Readonly<Record<string, Job>>;
  /** Where a value stands in the file. */
  position(path: readonly (string | number)[]): Position;
}

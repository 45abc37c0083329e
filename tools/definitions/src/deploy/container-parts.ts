/**
 * A startup, readiness or liveness probe with exactly one of `http`, `tcp` and `exec`; ports are
 * names.
 */
export interface ProbeSpec {
  readonly http?: { readonly port: string; readonly path: string };
  readonly tcp?: { readonly port: string };
  readonly exec?: readonly string[];
  /** Seconds between two attempts; default 10. */
  readonly period?: number;
  /** Time limit of one attempt in seconds; default 5. */
  readonly timeout?: number;
  /** Consecutive failed attempts after which the probe has failed; default 3. */
  readonly failures?: number;
}

/** Resource requests and limits of a container, as Kubernetes quantities. */
export interface Resources {
  readonly requests?: { readonly cpu?: string; readonly memory?: string };
  readonly limits?: { readonly cpu?: string; readonly memory?: string };
}

/** Rights of a container beyond the restricted Pod Security profile, each with its reason. */
export interface SecurityExceptions {
  /** All rights on the node. */
  readonly privileged?: string;
  readonly root?: string;
  /** A process can gain more rights than it started with, for example by sudo. */
  readonly escalation?: string;
  readonly writableRoot?: string;
  readonly capabilities?: Readonly<Record<string, string>>;
}

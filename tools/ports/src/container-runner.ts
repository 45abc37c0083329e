/** A container to start; nothing of the host is in it but what `binds` names. */
export interface ContainerSpec {
  /** `HOST:PORT/NAME@sha256:…`. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workdir?: string;
  /**
   * `none` (loopback alone), `host`, or `container:ID`, the network of a started container: containers that join one with
   * `none` reach each other by loopback and nothing else. Bridges are left out: an engine without firewall rules, as a
   * private one is, cannot close their way to the host.
   */
  readonly network: string;
  readonly binds?: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[];
  readonly tmpfs?: readonly string[];
  readonly readOnlyRoot?: boolean;
  readonly capDrop?: readonly string[];
  readonly capAdd?: readonly string[];
  readonly privileged?: boolean;
  /** What the engine else makes read-only of /proc can be written, as by a privileged container: /proc/sys of its network. */
  readonly writableProc?: boolean;
  /** Its process is not process 1 of its namespace: one of the engine's is, which passes signals on and ends with its code, 128 and the signal's number where that ended it. */
  readonly init?: boolean;
  /** Attached to this process's terminal. */
  readonly tty?: boolean;
  readonly stdin?: string;
}

/** How a command in a container ended; an exit code other than 0 is no error here. */
export interface ContainerResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started container. */
export interface RunningContainer {
  readonly id: string;
  exec(command: readonly string[], options?: { readonly user?: string; readonly stdin?: string }): Promise<ContainerResult>;
  /** What it has printed so far, stdout and stderr in order; the last 16 MiB. */
  logs(): Promise<string>;
  /** Resolves with the exit code once it has ended. */
  wait(): Promise<number>;
  signal(name: string): Promise<void>;
  /** Ends and removes it; no error where it is gone. */
  remove(): Promise<void>;
}

/**
 * Runs containers of built images: image tests, `ccp run`, end-to-end tests. An image that the engine lacks is pulled. Errors
 * as of ImageEngine, `command-missing` where the image has no such program, `command-not-executable` where that is none,
 * `user-unknown` where it has no such user or group, `run-failed` where the engine cannot start the container,
 * `output-too-long` where a stream of output passes 32 MiB.
 */
export interface ContainerRunner {
  /** Runs to the end; kills and raises `timeout` after `timeoutMs`, `cancelled` on the signal. The container is removed. */
  run(spec: ContainerSpec, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<ContainerResult>;
  start(spec: ContainerSpec): Promise<RunningContainer>;
  /**
   * Runs with this process's stdin, stdout and stderr; resolves with the exit code. A signal to this process ends it: it is passed
   * on, and what goes on after some seconds is stopped; `onSlow` hears of that, and the exit code is 128 and the signal's number.
   */
  attach(spec: ContainerSpec, options?: { readonly onSlow?: () => void }): Promise<number>;
}

/** A container to start. It has no access to host files except `binds`. */
export interface ContainerSpec {
  /** `HOST:PORT/NAME@sha256:…`. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workdir?: string;
  /**
   * `none` (loopback only), `host`, or `container:ID`, the network of a started container.
   * Containers that join one with `none` can connect to each other through loopback only. Bridges
   * are not supported: an engine without firewall rules, such as a private one, cannot block
   * connections to the host.
   */
  readonly network: string;
  readonly binds?: readonly {
    readonly source: string;
    readonly target: string;
    readonly readOnly: boolean;
  }[];
  readonly tmpfs?: readonly string[];
  readonly readOnlyRoot?: boolean;
  readonly capDrop?: readonly string[];
  readonly capAdd?: readonly string[];
  readonly privileged?: boolean;
  /**
   * Makes the read-only parts of /proc writable, as in a privileged container: /proc/sys of its
   * network.
   */
  readonly writableProc?: boolean;
  /**
   * Runs the engine's init as process 1. It forwards signals and exits with the command's code, or
   * 128 plus the signal's number.
   */
  readonly init?: boolean;
  /** Attaches the container to this process's terminal. */
  readonly tty?: boolean;
  readonly stdin?: string;
}

/** Result of a command in a container. An exit code other than 0 is not an error here. */
export interface ContainerResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started container. */
export interface RunningContainer {
  readonly id: string;
  exec(
    command: readonly string[],
    options?: { readonly user?: string; readonly stdin?: string },
  ): Promise<ContainerResult>;
  /** Its output so far, stdout and stderr in order; the last 16 MiB. */
  logs(): Promise<string>;
  /** Resolves with the exit code after it exits. */
  wait(): Promise<number>;
  signal(name: string): Promise<void>;
  /** Stops and removes it. A missing container is not an error. */
  remove(): Promise<void>;
}

/**
 * Runs containers of built images for image tests, `ccp run` and end-to-end tests. Pulls missing
 * images. Throws the errors of ImageEngine, and `command-missing` if the image does not contain the
 * program, `command-not-executable` if the file is not executable, `user-unknown` if the user or
 * group does not exist, `run-failed` if the engine cannot start the container, and
 * `output-too-long` if stdout or stderr exceeds 32 MiB.
 */
export interface ContainerRunner {
  /**
   * Runs a container until it exits and removes it. Kills it and throws `timeout` after
   * `timeoutMs`, or `cancelled` on the signal.
   */
  run(
    spec: ContainerSpec,
    options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal },
  ): Promise<ContainerResult>;
  start(spec: ContainerSpec): Promise<RunningContainer>;
  /**
   * Runs with this process's stdin, stdout and stderr; resolves with the exit code. Signals to this
   * process are forwarded. A container that still runs some seconds later is stopped: `onSlow` is
   * called, and the exit code is 128 plus the signal's number.
   */
  attach(spec: ContainerSpec, options?: { readonly onSlow?: () => void }): Promise<number>;
}

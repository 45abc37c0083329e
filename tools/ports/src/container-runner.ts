/** A container to start; nothing of the host is in it but what `binds` names. */
export interface ContainerSpec {
  /** `HOST:PORT/NAME@sha256:…`. */
  readonly image: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly workdir?: string;
  /** `none`, `host`, or the name of a network made by `createNetwork`. */
  readonly network: string;
  /** Names under which others in the same network find it. */
  readonly aliases?: readonly string[];
  readonly binds?: readonly { readonly source: string; readonly target: string; readonly readOnly: boolean }[];
  readonly tmpfs?: readonly string[];
  readonly readOnlyRoot?: boolean;
  readonly capDrop?: readonly string[];
  readonly capAdd?: readonly string[];
  readonly privileged?: boolean;
  /** Attached to this process's terminal. */
  readonly tty?: boolean;
  readonly stdin?: string;
}

export interface ContainerResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A started container. */
export interface RunningContainer {
  readonly id: string;
  /** Address inside its network, where it has one. */
  address(): Promise<string>;
  exec(command: readonly string[], options?: { readonly user?: string; readonly stdin?: string }): Promise<ContainerResult>;
  logs(): Promise<string>;
  wait(): Promise<number>;
  signal(name: string): Promise<void>;
  /** Ends and removes it; no error where it is gone. */
  remove(): Promise<void>;
}

/** Runs containers of built images: image tests, `ccp run`, end-to-end tests. Errors as of ImageEngine. */
export interface ContainerRunner {
  /** Runs to the end; kills and raises `timeout` after `timeoutMs`, `cancelled` on the signal. */
  run(spec: ContainerSpec, options?: { readonly timeoutMs?: number; readonly signal?: AbortSignal }): Promise<ContainerResult>;
  start(spec: ContainerSpec): Promise<RunningContainer>;
  /** Runs with this process's stdin, stdout and stderr; resolves with the exit code. */
  attach(spec: ContainerSpec): Promise<number>;
  /** A bridge network without a way out, where `internal`. */
  createNetwork(name: string, options: { readonly internal: boolean }): Promise<{ remove(): Promise<void> }>;
}

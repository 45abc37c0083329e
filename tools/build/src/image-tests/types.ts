import type { ImageName, Json } from '#core';
import type { ContainerRunner, LayerListing } from '#ports';

/** A command that is run in the built image, with its expected result. */
export interface CommandExpectation {
  readonly name: string;
  readonly run: readonly string[];
  /** Text that the output must contain. */
  readonly stdout?: string;
  /** Source, Go program, Python or Debian package whose locked version the output must contain. */
  readonly version?: string;
  readonly exitCode: number;
  /** Time limit in seconds; by default a minute, and more on a busy machine. */
  readonly timeout?: number;
}

/** The expectations of a built image, from its definition's tests and its lock. */
export interface ImageExpectations {
  readonly image: ImageName;
  readonly commands: readonly CommandExpectation[];
  /** Python modules to import; of packages, all submodules except tests. */
  readonly imports: readonly string[];
  /** Submodules whose import can fail, with the reason. */
  readonly importExceptions: Readonly<Record<string, string>>;
  /** Absolute paths of permitted setuid and setgid files. */
  readonly setuid: readonly string[];
  /** Absolute paths or, with a trailing `*`, prefixes that some file and library checks skip. */
  readonly allow: readonly string[];
  /** The user of the image; absent if it runs as root. */
  readonly user?: {
    readonly name: string;
    readonly uid: number;
    readonly gid: number;
    readonly home: string;
  };
  /** Maximum total size of the unpacked layers, in bytes. */
  readonly sizeBudget?: number;
  /** False for images that are only used in builds: they can contain compilers and headers. */
  readonly shipped: boolean;
  /** Locked versions by name, as written in the lock. */
  readonly versions: {
    readonly sources: Readonly<Record<string, string>>;
    readonly python: Readonly<Record<string, string>>;
    readonly debian: Readonly<Record<string, string>>;
    /** Module version by Go program. */
    readonly go: Readonly<Record<string, string>>;
  };
  /**
   * Names of locked files (Python, npm, releases) for its build steps; the image must not have
   * them.
   */
  readonly inputs: readonly string[];
  /** True if the image has Python packages whose requirements must be consistent. */
  readonly python: boolean;
  /** Python packages provided by Debian; they need not be installed as Python projects. */
  readonly provided: readonly string[];
}

/** An image in the store and on an engine. */
export interface TestSubject {
  /** Reference of the image on the runner's engine. */
  readonly reference: string;
  readonly runner: ContainerRunner;
  /** The image's OCI config. */
  readonly config: Json;
  /** Total size of the unpacked layers, in bytes. */
  readonly size: number;
  /** Its layers, lowest first. */
  readonly layers: readonly LayerListing[];
  /** Its base, if that passed its tests and the loader finds libraries for it in the same way. */
  readonly base?: {
    /** The number of its layers. */
    readonly layers: number;
    /** `tests.allow` of the base. */
    readonly allow: readonly string[];
  };
  /** The factor that extends time limits; by default from the load of this machine. */
  readonly loadFactor?: () => number;
}

export type CheckName =
  | 'command'
  | 'user'
  | 'setuid'
  | 'compiler'
  | 'header'
  | 'package-cache'
  | 'mount-stub'
  | 'locked-input'
  | 'git'
  | 'source-tree'
  | 'size'
  | 'libraries'
  | 'imports'
  | 'requirements';

/** A fault of an image; `message` is a sentence. */
export interface Finding {
  readonly check: CheckName;
  readonly message: string;
}

/** The result of an image's tests. The image can be named only if `findings` is empty. */
export interface TestReport {
  /** Checks that were performed. */
  readonly checks: readonly CheckName[];
  readonly findings: readonly Finding[];
  /** Names of commands that timed out and were run again. */
  readonly repeated?: readonly string[];
}

import type { ImageName, Json } from '#core';
import type { ContainerRunner } from '#ports';

/** A command that must hold in the built image. */
export interface CommandExpectation {
  readonly name: string;
  readonly run: readonly string[];
  /** Text that the output must hold. */
  readonly stdout?: string;
  /** Source, Go program, Python or Debian package whose locked version the output must hold. */
  readonly version?: string;
  readonly exitCode: number;
}

/** What must be true of a built image: its definition's tests and what its lock says. */
export interface ImageExpectations {
  readonly image: ImageName;
  readonly commands: readonly CommandExpectation[];
  /** Python modules; each is imported, and of a package every submodule that is not a test. */
  readonly imports: readonly string[];
  /** Submodules that may fail to import, each with its reason. */
  readonly importExceptions: Readonly<Record<string, string>>;
  /** Absolute paths of files that may be setuid or setgid. */
  readonly setuid: readonly string[];
  /** Absolute paths (a trailing `*` takes all below) that the header, compiler and library checks leave alone. */
  readonly allow: readonly string[];
  /** The user the image runs as; absent where it runs as root. */
  readonly user?: { readonly name: string; readonly uid: number; readonly gid: number; readonly home: string };
  /** Upper bound for all layers unpacked, bytes. */
  readonly sizeBudget?: number;
  /** False for images that only serve builds: they may hold compilers and headers. */
  readonly shipped: boolean;
  /** Locked versions by name, as the lock writes them. */
  readonly versions: {
    readonly sources: Readonly<Record<string, string>>;
    readonly python: Readonly<Record<string, string>>;
    readonly debian: Readonly<Record<string, string>>;
    /** Go program -> version of its module. */
    readonly go: Readonly<Record<string, string>>;
  };
  /** Names of locked files (of Python, npm, releases) that its steps install from: none of them is left in it. */
  readonly inputs: readonly string[];
  /** True where the image holds Python packages whose requirements must be consistent. */
  readonly python: boolean;
  /** Python packages that Debian provides; their absence among the installed ones is no finding. */
  readonly provided: readonly string[];
}

/** The image as it lies in the store and on an engine. */
export interface TestSubject {
  /** Reference that the runner's engine knows. */
  readonly reference: string;
  readonly runner: ContainerRunner;
  /** The image's OCI config. */
  readonly config: Json;
  /** Bytes of all layers unpacked. */
  readonly size: number;
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

/** One thing that is wrong, a sentence. */
export interface Finding {
  readonly check: CheckName;
  readonly message: string;
}

/** What the tests of an image found; it may be named only where `findings` is empty. */
export interface TestReport {
  /** Checks that were made. */
  readonly checks: readonly CheckName[];
  readonly findings: readonly Finding[];
}

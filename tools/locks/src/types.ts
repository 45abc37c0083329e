import type { GoModuleFile, ImageName, Series, Sha256 } from '#core';

/** A Debian binary package; `pool` is the path below the archive's root. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
  /** Which of Debian's archives holds it. */
  readonly archive: 'debian' | 'debian-security';
  readonly pool: string;
}

/** A Python file: a wheel, or an sdist that the build stage makes a wheel of. */
export interface PythonFile {
  readonly name: string;
  readonly version: string;
  readonly kind: 'wheel' | 'sdist';
  readonly file: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** A git source at one commit, and the archive published from it where the ref is a release. */
export interface LockedSource {
  readonly repository: string;
  readonly ref: string;
  readonly commit: string;
  readonly version: string;
  readonly submodules: readonly string[];
  /** `name` is the project's name in the Python index. */
  readonly archive?: { readonly name: string; readonly file: string; readonly sha256: Sha256; readonly size: number };
}

/** A file of a Go module; `sum` is what go.sum says of it. */
export interface GoFile extends GoModuleFile {
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** What Go programs are built of. */
export interface LockedGo {
  /** The version of Go that the modules ask for. */
  readonly language: string;
  /** Modules that the definition asks for -> their version. */
  readonly requires: Readonly<Record<string, string>>;
  /** Every file that a build reads; of a toolchain the one that holds it. */
  readonly files: readonly GoFile[];
}

/** A package of npm, and the folder below the environment that it is unpacked into. */
export interface NpmPackage {
  /** `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Name of the archive, one of a kind. */
  readonly file: string;
  /** Subresource integrity, `sha512-…`. */
  readonly integrity: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** images/<name>/lock/<series>.yaml. */
export interface Lock {
  readonly format: 1;
  readonly image: ImageName;
  readonly series: Series;
  /** SHA-256 of the request the lock answers: definition, series facts and the parents' locked sets. */
  readonly request: Sha256;
  /** Stage -> packages by name. */
  readonly debian: Readonly<Record<string, readonly DebianPackage[]>>;
  readonly python: {
    /** What the runtime installs beside the parents' files. */
    readonly runtime: readonly PythonFile[];
    /** What building the sdists and the project needs. */
    readonly build: readonly PythonFile[];
  };
  readonly go?: LockedGo;
  readonly npm?: readonly NpmPackage[];
  readonly sources: Readonly<Record<string, LockedSource>>;
}

/** What plan needs of a lock, small enough to be remembered by the lock file's hash. */
export type LockSummary = {
  readonly request: Sha256;
  /** Stage -> SHA-256 over its locked packages (name, version, architecture, SHA-256). */
  readonly debian: Readonly<Record<string, Sha256>>;
  readonly python: { readonly runtime: Sha256; readonly build: Sha256 };
  /** SHA-256 over the files of Go modules, and the versions of those that the definition asks for. */
  readonly go?: { readonly files: Sha256; readonly requires: Readonly<Record<string, string>> };
  /** SHA-256 over the packages of npm. */
  readonly npm?: { readonly packages: Sha256 };
  readonly sources: Readonly<Record<string, { readonly repository: string; readonly commit: string; readonly version: string; readonly archive?: Sha256 }>>;
};

/** Whether a lock answers its definition; `reason` is a clause for people. */
export interface LockStatus {
  readonly image: ImageName;
  readonly series: Series;
  /** Path relative to the repository. */
  readonly file: string;
  readonly state: 'current' | 'missing' | 'stale' | 'tampered';
  readonly reason?: string;
  readonly summary?: LockSummary;
}

import type { ImageName, Series, Sha256 } from '#core';
import type { GoModuleFile } from '#formats';

/** A Debian binary package; `pool` is the path below the archive's root. */
export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
  /** The Debian archive that has the file. */
  readonly archive: 'debian' | 'debian-security';
  readonly pool: string;
}

/** A Python file: a wheel, or an sdist from which the build stage builds a wheel. */
export interface PythonFile {
  readonly name: string;
  readonly version: string;
  readonly kind: 'wheel' | 'sdist';
  readonly file: string;
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** A git source at one commit, with the published archive if the ref is a release. */
export interface LockedSource {
  readonly repository: string;
  readonly ref: string;
  readonly commit: string;
  readonly version: string;
  readonly submodules: readonly string[];
  /** `name` is the project's name in the Python index. */
  readonly archive?: {
    readonly name: string;
    readonly file: string;
    readonly sha256: Sha256;
    readonly size: number;
  };
}

/** A file of a Go module; `sum` is its hash in go.sum. */
export interface GoFile extends GoModuleFile {
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** Locked Go modules of an image. */
export interface LockedGo {
  /** The Go version that the modules require. */
  readonly language: string;
  /** Modules requested by the definition -> locked version. */
  readonly requires: Readonly<Record<string, string>>;
  /** Every file that a build reads; for a toolchain, its archive. */
  readonly files: readonly GoFile[];
}

/** An npm package and its install path. */
export interface NpmPackage {
  /** `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** Unique file name of the archive. */
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
  /**
   * SHA-256 of the lock's request: definition, series settings and the parents' locked packages.
   */
  readonly request: Sha256;
  /** Stage -> packages by name. */
  readonly debian: Readonly<Record<string, readonly DebianPackage[]>>;
  readonly python: {
    /** Files that the runtime installs in addition to the parents' files. */
    readonly runtime: readonly PythonFile[];
    /** Files needed to build the sdists and the project. */
    readonly build: readonly PythonFile[];
  };
  readonly go?: LockedGo;
  readonly npm?: readonly NpmPackage[];
  readonly sources: Readonly<Record<string, LockedSource>>;
}

/** The part of a lock that `ccp plan` needs, cached under the lock file's hash. */
export type LockSummary = {
  readonly request: Sha256;
  /** Stage -> SHA-256 over its locked packages (name, version, architecture, SHA-256). */
  readonly debian: Readonly<Record<string, Sha256>>;
  readonly python: { readonly runtime: Sha256; readonly build: Sha256 };
  /** SHA-256 over the Go module files, and the versions of the requested modules. */
  readonly go?: { readonly files: Sha256; readonly requires: Readonly<Record<string, string>> };
  /** SHA-256 over the npm packages. */
  readonly npm?: { readonly packages: Sha256 };
  readonly sources: Readonly<
    Record<
      string,
      {
        readonly repository: string;
        readonly commit: string;
        readonly version: string;
        readonly archive?: Sha256;
      }
    >
  >;
};

/** Whether a lock matches its definition; `reason` is text for users. */
export interface LockStatus {
  readonly image: ImageName;
  readonly series: Series;
  /** Path relative to the repository. */
  readonly file: string;
  readonly state: 'current' | 'missing' | 'stale' | 'tampered';
  readonly reason?: string;
  readonly summary?: LockSummary;
}

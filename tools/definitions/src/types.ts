import type { ImageName, Platform, Position, Series } from '#core';

/** What a series stands on; from images/series.yaml. */
export interface SeriesDefinition {
  readonly name: Series;
  readonly codename: string;
  /** Debian suite: `trixie`, `bookworm`. */
  readonly suite: string;
  /** Python's minor version in that suite: `3.13`. */
  readonly python: string;
  /** Absolute path of the upper constraints; absent for master until git hosts answer. */
  readonly constraints?: string;
  /** Reviewed overrides of single constraints. */
  readonly overrides: readonly { readonly requirement: string; readonly reason: string; readonly expires: string }[];
}

/** A git source; `refs` names a tag or branch for every series that has it. */
export interface SourceDefinition {
  readonly repository: string;
  readonly refs: Readonly<Record<string, string>>;
  /** Project name of the source archive published for a release; absent where there is none. */
  readonly archive?: string;
  readonly submodules: readonly string[];
}

/** Which parent's packages a Debian stage is resolved on top of. */
export type DebianStages = Readonly<Record<string, DebianStage>>;

export interface DebianStage {
  /** Role of the parent the stage stands on; absent in an image that is bootstrapped. */
  readonly on?: string;
  /** Package names, or apt patterns such as `?essential`; already narrowed to one series by `forSeries`. */
  readonly packages: readonly SeriesItem[];
  /** True where what the packages depend on is left out, since the template only takes files out of them. */
  readonly alone?: boolean;
}

/** A value for every series, or only for those that are listed. */
export interface SeriesItem {
  readonly value: string;
  readonly series?: readonly string[];
}

/** Python files an image takes. */
export interface PythonDefinition {
  /** Key in `sources` of the project that is built and installed; absent for a base that only has libraries. */
  readonly project?: string;
  readonly extras: readonly string[];
  /** Requirements (PEP 508) beside the project's own. */
  readonly packages: readonly SeriesItem[];
  /** Requirements needed to build wheels, kept in the builder image. */
  readonly tools: readonly SeriesItem[];
  /** Packages whose files are replaced by Debian's, left out of the lock. */
  readonly provided: readonly string[];
}

export interface ImageUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** One command that must hold in the built image. */
export interface CommandTest {
  readonly name: string;
  readonly run: readonly string[];
  /** Text that the output must hold. */
  readonly stdout?: string;
  /** Debian or Python package, or source, whose locked version the output must hold. */
  readonly version?: string;
  readonly exitCode: number;
}

export interface ImageTests {
  readonly commands: readonly CommandTest[];
  /** Python modules; each is imported, and of a package every submodule that is not a test. */
  readonly imports: readonly string[];
  /** Submodules that may fail to import, each with its reason. */
  readonly importExceptions: Readonly<Record<string, string>>;
  /** Absolute paths of files that may be setuid or setgid. */
  readonly setuid: readonly string[];
  /** Absolute paths (a trailing `*` takes all below) that the header, compiler and library checks leave alone. */
  readonly allow: readonly string[];
}

/** images/<name>/image.yaml, checked. */
export interface ImageDefinition {
  readonly name: ImageName;
  /** Absolute path of the image's folder. */
  readonly folder: string;
  readonly title: string;
  readonly description: string;
  /** Role -> image; `base` and `builder` are the usual roles. */
  readonly parents: Readonly<Record<string, ImageName>>;
  readonly sources: Readonly<Record<string, SourceDefinition>>;
  readonly debian: DebianStages;
  readonly python?: PythonDefinition;
  readonly user?: ImageUser;
  /** Why the image runs as root; required where there is no user and the image is shipped. */
  readonly root?: string;
  /** Series the image exists in; all where absent. */
  readonly series?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<string, string>>;
  readonly platforms: readonly Platform[];
  /** Upper bound for all layers unpacked, bytes. */
  readonly sizeBudget?: number;
  /** False for images that only serve builds. */
  readonly shipped: boolean;
  /** True where RUN steps may use the network; reported in every plan. */
  readonly unlocked: boolean;
  readonly tests: ImageTests;
  /** Where each parent is named, for messages about the graph. */
  readonly positions: { readonly definition: Position; readonly parents: Readonly<Record<string, Position>> };
}

/** Everything under images/ that is not a lock or a template. */
export interface Workspace {
  /** Absolute path of the repository. */
  readonly root: string;
  readonly images: readonly ImageDefinition[];
  readonly series: readonly SeriesDefinition[];
}

import type { ImageName, Platform, Position, Series } from '#core';

/** A series of images/series.yaml. */
export interface SeriesDefinition {
  readonly name: Series;
  readonly codename: string;
  /** Debian suite: `trixie`, `bookworm`. */
  readonly suite: string;
  /** Python's minor version in that suite: `3.13`. */
  readonly python: string;
  /** Absolute path of the upper constraints; absent if not fetched yet. */
  readonly constraints?: string;
  /** Where `ccp lock` fetches the upper constraints; absent if the file is maintained manually. */
  readonly constraintsFrom?: ConstraintsOrigin;
  /** Reviewed overrides of single constraints. */
  readonly overrides: readonly ConstraintOverride[];
  /** Images of the series, without their parents; absent if it has every possible image. */
  readonly images?: readonly SeriesImage[];
  readonly positions?: { readonly suite: Position; readonly python: Position };
}

/** An image that a series names. */
export interface SeriesImage {
  readonly name: ImageName;
  readonly at: Position;
}

/** Upper constraints in a git repository. */
export interface ConstraintsOrigin {
  readonly repository: string;
  /** Tag or branch. */
  readonly ref: string;
  /** Path of the file in the repository. */
  readonly path: string;
  /** Absolute path that they are written to. */
  readonly file: string;
}

/** A replaced constraint that must be reviewed before it expires. */
export interface ConstraintOverride {
  /** `NAME==VERSION`. */
  readonly requirement: string;
  readonly reason: string;
  /** Last day on which the override is valid: `2026-12-31`. */
  readonly expires: string;
  readonly at?: Position;
}

/** A git source; `refs` names a tag or branch for every series that has it. */
export interface SourceDefinition {
  readonly repository: string;
  readonly refs: Readonly<Record<string, string>>;
  /** Project name of the source archives published for releases, if any. */
  readonly archive?: string;
  readonly submodules: readonly string[];
  /** In the order in which they are applied. */
  readonly patches?: readonly PatchDefinition[];
}

/** A unified diff that is applied to a source's tree (`patch -p1`) before it is built. */
export interface PatchDefinition extends SeriesItem {
  /** Absolute path. */
  readonly path: string;
  readonly at: Position;
}

/** Stage -> its Debian packages. */
export type DebianStages = Readonly<Record<string, DebianStage>>;

/** The Debian packages that one stage of an image installs. */
export interface DebianStage {
  /** Role of the parent that the stage is based on; absent in a bootstrapped image. */
  readonly on?: string;
  /**
   * Package names, or apt patterns such as `?essential`; already narrowed to one series by
   * `forSeries`.
   */
  readonly packages: readonly SeriesItem[];
  /**
   * True if dependencies are left out because the template only extracts files from the packages.
   */
  readonly alone?: boolean;
}

/** A value for every series, or only for listed series and series based on listed suites. */
export interface SeriesItem {
  readonly value: string;
  readonly series?: readonly string[];
  readonly suites?: readonly string[];
  /** Position in its file. */
  readonly at?: Position;
}

/** Python files of an image. */
export interface PythonDefinition {
  /**
   * Key in `sources` of the project that is built and installed; absent for a base that only has
   * libraries.
   */
  readonly project?: string;
  readonly extras: readonly string[];
  /** Requirements (PEP 508) in addition to the project's own. */
  readonly packages: readonly SeriesItem[];
  /** Requirements needed to build wheels, kept in the builder image. */
  readonly tools: readonly SeriesItem[];
  /** Packages whose files are replaced by Debian's, left out of the lock. */
  readonly provided: readonly string[];
}

/** Go programs of an image. */
export interface GoDefinition {
  /** Version of the Go toolchain (`1.26.8`); only in a builder. */
  readonly toolchain?: string;
  /** `PATH@VERSION`; the version can be a prefix (`v1.26`) or `latest`. */
  readonly modules: readonly string[];
  /** Program -> import path of its package, or `./FOLDER` below `files/go`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Import paths used by the image's own programs. */
  readonly packages: readonly string[];
}

/** npm packages of an image. */
export interface NpmDefinition {
  /** `NAME` of the repository's package-lock.json, or `NAME@VERSION`. */
  readonly packages: readonly string[];
}

/** The user that an image runs as. */
export interface ImageUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** A command that is tested in the built image. */
export interface CommandTest {
  readonly name: string;
  readonly run: readonly string[];
  /** Text that the output must contain. */
  readonly stdout?: string;
  /**
   * Debian or Python package, source or Go program whose locked version the output must contain.
   */
  readonly version?: string;
  readonly exitCode: number;
  /** Time limit in seconds; the default grows with the load of the machine. */
  readonly timeout?: number;
}

/** Tests of a built image and their exceptions. */
export interface ImageTests {
  readonly commands: readonly CommandTest[];
  /** Python modules to import; of a package, every submodule except tests. */
  readonly imports: readonly string[];
  /** Submodules that are allowed to fail to import -> reason. */
  readonly importExceptions: Readonly<Record<string, string>>;
  /** Absolute paths of files that are allowed to be setuid or setgid. */
  readonly setuid: readonly string[];
  /**
   * Absolute paths (a trailing `*` selects everything below) that the header, compiler and library
   * checks skip.
   */
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
  readonly go?: GoDefinition;
  readonly npm?: NpmDefinition;
  /**
   * Paths relative to the definition's repository whose files are copied into the build context.
   */
  readonly tree?: readonly string[];
  readonly user?: ImageUser;
  /** Why the image runs as root; required for a shipped image without a user. */
  readonly root?: string;
  /** Series in which the image exists; all if absent. */
  readonly series?: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly args: Readonly<Record<string, string>>;
  readonly platforms: readonly Platform[];
  /** Upper bound for all layers unpacked, bytes. */
  readonly sizeBudget?: number;
  /** False for images that are used only to build others. */
  readonly shipped: boolean;
  /** True if RUN steps can use the network; reported in every plan. */
  readonly unlocked: boolean;
  /** Network of an unlocked image's RUN steps; `bridge` if absent. */
  readonly network?: 'bridge' | 'host';
  readonly tests: ImageTests;
  /** Folders of the image in lower layers; absent if the workspace has no overlay.yaml. */
  readonly layers?: ImageLayers;
  /** Values changed by overlays, in order. */
  readonly overlaid?: readonly OverlaidValue[];
  /** Positions of each parent, for messages about the graph, and of each source's ref by series. */
  readonly positions: {
    readonly definition: Position;
    readonly parents: Readonly<Record<string, Position>>;
    readonly refs?: Readonly<Record<string, Readonly<Record<string, Position>>>>;
  };
}

/** Folders of an image in a workspace with overlays, highest precedence first. */
export interface ImageLayers {
  /** Absolute path of the workspace; messages name files relative to it. */
  readonly root: string;
  /** Folders of locks; the first one is written. */
  readonly locks: readonly string[];
  /** Folders of shared templates. */
  readonly shared: readonly string[];
}

/** A value of a definition that an overlay set or added. */
export interface OverlaidValue {
  /** `debian.runtime.packages`. */
  readonly key: string;
  readonly value: string;
  readonly at: Position;
}

/** All definitions under images/, without locks and templates. */
export interface Workspace {
  /** Absolute path of the repository. */
  readonly root: string;
  /** Absolute paths of the workspaces that this one overlays, nearest first. */
  readonly bases?: readonly string[];
  readonly images: readonly ImageDefinition[];
  readonly series: readonly SeriesDefinition[];
}

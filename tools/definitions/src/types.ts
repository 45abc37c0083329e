import type { ImageName, Platform, Position, Series } from '#core';

/** What a series stands on; from images/series.yaml. */
export interface SeriesDefinition {
  readonly name: Series;
  readonly codename: string;
  /** Debian suite: `trixie`, `bookworm`. */
  readonly suite: string;
  /** Python's minor version in that suite: `3.13`. */
  readonly python: string;
  /** Absolute path of the upper constraints; absent where they were not fetched yet. */
  readonly constraints?: string;
  /** Where `ccp lock` takes the upper constraints from; absent where people keep them. */
  readonly constraintsFrom?: ConstraintsOrigin;
  /** Reviewed overrides of single constraints. */
  readonly overrides: readonly ConstraintOverride[];
  /** Images it has beside those they stand on; absent where it has every image that can be in it. */
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

/** A constraint that is replaced until somebody looks at it again. */
export interface ConstraintOverride {
  /** `NAME==VERSION`. */
  readonly requirement: string;
  readonly reason: string;
  /** Last day on which nobody need look: `2026-12-31`. */
  readonly expires: string;
  readonly at?: Position;
}

/** A git source; `refs` names a tag or branch for every series that has it. */
export interface SourceDefinition {
  readonly repository: string;
  readonly refs: Readonly<Record<string, string>>;
  /** Project name of the source archive published for a release; absent where there is none. */
  readonly archive?: string;
  readonly submodules: readonly string[];
  /** In the order they are applied; absent where there are none. */
  readonly patches?: readonly PatchDefinition[];
}

/** A unified diff that is applied to a source's tree (`patch -p1`) before it is built. */
export interface PatchDefinition extends SeriesItem {
  /** Absolute path. */
  readonly path: string;
  readonly at: Position;
}

/** Which parent's packages a Debian stage is resolved on top of. */
export type DebianStages = Readonly<Record<string, DebianStage>>;

/** The Debian packages that one stage of an image installs. */
export interface DebianStage {
  /** Role of the parent the stage stands on; absent in an image that is bootstrapped. */
  readonly on?: string;
  /** Package names, or apt patterns such as `?essential`; already narrowed to one series by `forSeries`. */
  readonly packages: readonly SeriesItem[];
  /** True where what the packages depend on is left out, since the template only takes files out of them. */
  readonly alone?: boolean;
}

/** A value for every series, or only for those that are listed or stand on a listed suite. */
export interface SeriesItem {
  readonly value: string;
  readonly series?: readonly string[];
  readonly suites?: readonly string[];
  /** Where it stands. */
  readonly at?: Position;
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

/** Go programs an image is made of. */
export interface GoDefinition {
  /** Version of Go (`1.26.8`) whose toolchain the image takes; only in a builder. */
  readonly toolchain?: string;
  /** `PATH@VERSION`; a version may be the start of one (`v1.26`), or `latest`. */
  readonly modules: readonly string[];
  /** Program -> import path of its package, or `./FOLDER` below `files/go`. */
  readonly programs: Readonly<Record<string, string>>;
  /** Import paths that the image's own programs name. */
  readonly packages: readonly string[];
}

/** Packages of npm an image takes. */
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

/** One command that must hold in the built image. */
export interface CommandTest {
  readonly name: string;
  readonly run: readonly string[];
  /** Text that the output must hold. */
  readonly stdout?: string;
  /** Debian or Python package, source or Go program whose locked version the output must hold. */
  readonly version?: string;
  readonly exitCode: number;
}

/** What is tested in a built image, and what its tests let pass. */
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
  readonly go?: GoDefinition;
  readonly npm?: NpmDefinition;
  /** Paths below the repository that holds the definition; absent where the image carries none of it. */
  readonly tree?: readonly string[];
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
  /** Where else the image is looked up; absent where the workspace overlays none. */
  readonly layers?: ImageLayers;
  /** What overlays changed, in their order; absent where none did. */
  readonly overlaid?: readonly OverlaidValue[];
  /** Where each parent is named, for messages about the graph, and the ref of each source by series. */
  readonly positions: {
    readonly definition: Position;
    readonly parents: Readonly<Record<string, Position>>;
    readonly refs?: Readonly<Record<string, Readonly<Record<string, Position>>>>;
  };
}

/** Where parts of an image lie in a workspace that overlays others, each list by precedence: the first place that has a part wins. */
export interface ImageLayers {
  /** Absolute path of the workspace; messages name files relative to it. */
  readonly root: string;
  /** Folders of locks; the first is written. */
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

/** Everything under images/ that is not a lock or a template. */
export interface Workspace {
  /** Absolute path of the repository. */
  readonly root: string;
  /** Absolute paths of the workspaces that this one overlays, the nearest first; absent where there are none. */
  readonly bases?: readonly string[];
  readonly images: readonly ImageDefinition[];
  readonly series: readonly SeriesDefinition[];
}

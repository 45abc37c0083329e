import type { Json, Sha256 } from '#core';

/** A package in an image, as its locks name it. */
export interface Component {
  readonly kind: 'debian' | 'python' | 'go' | 'npm' | 'source';
  readonly name: string;
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** Hash of the file that the lock names; absent for a git commit. */
  readonly sha256?: Sha256;
  /** Name of that file. */
  readonly file?: string;
  /** Debian architecture. */
  readonly architecture?: string;
  /** True if the image must have Python metadata of this name. */
  readonly distribution?: true;
}

/** A package that was found in an image's layers. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** Debian architecture. */
  readonly architecture?: string;
  /** Debian source package, if its name or version differs. */
  readonly source?: string;
  readonly sourceVersion?: string;
}

/** All packages that were found in an image's layers. */
export interface InstalledPackages {
  readonly debian: readonly InstalledPackage[];
  readonly python: readonly InstalledPackage[];
}

/** An input of a build: a resource descriptor of in-toto. */
export interface Dependency {
  readonly uri: string;
  readonly name?: string;
  readonly digest: Readonly<Record<string, string>>;
}

/** Everything that the statements about an image are made of. */
export interface StatementInputs {
  readonly components: readonly Component[];
  readonly installed: InstalledPackages;
  /** All inputs of the build, parents by digest. */
  readonly dependencies: readonly Dependency[];
  /** Parameters of the build that are not inputs with a hash. */
  readonly parameters: Readonly<Record<string, Json>>;
  /** Names of the tests that the image passed. */
  readonly tests: readonly string[];
  /** OpenVEX document, from reviewed decisions about the image's packages. */
  readonly vex?: Json;
}

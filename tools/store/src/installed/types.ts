/** A Debian package in the status file of dpkg. */
export type InstalledDebian = {
  readonly name: string;
  readonly version: string;
  readonly architecture: string;
  /** Source package, if its name or version differs from the package's. */
  readonly source?: string;
  readonly sourceVersion?: string;
};

/** A Python distribution with a `dist-info` or `egg-info` folder. */
export type InstalledPython = {
  /** As its metadata says: `Flask-RESTful`. */
  readonly name: string;
  readonly version: string;
  /** Path of the metadata below the image's root. */
  readonly path: string;
};

/** The packages in an image's files. */
export interface InstalledPackages {
  readonly debian: readonly InstalledDebian[];
  /** Without distributions below `/usr/lib/python3*`, which belong to Debian packages. */
  readonly python: readonly InstalledPython[];
}

import type { ExportFile } from '../export-file.ts';

/** Name and version of an application, as StarlingX shows them. */
export interface ApplicationName {
  readonly name: string;
  /** `SERIES-NUMBER`. */
  readonly version: string;
}

/** A Helm chart of an application. */
export interface ApplicationChart {
  readonly name: string;
  readonly version: string;
  readonly files: readonly ExportFile[];
  /** Default images: name -> `REPOSITORY:TAG`. */
  readonly images: Readonly<Record<string, string>>;
}

/** The content of an application's tarball, except for its checksums. */
export interface Application extends ApplicationName {
  readonly charts: readonly ApplicationChart[];
  /** Other files, below the root of the tarball. */
  readonly files: readonly ExportFile[];
}

/** Name of the chart with the objects of a site that belong to no instance. */
export function commonChart(site: string): string {
  return `${site}-common`;
}

import type { Digest } from '#core';

/** The sources of packages that have vulnerability data. */
export type PackageKind = 'debian' | 'python' | 'go' | 'npm';

/** A package in an image. */
export interface ImagePackage {
  readonly kind: PackageKind;
  readonly name: string;
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
  /** Debian source package and its version. */
  readonly source?: { readonly name: string; readonly version: string };
  /** Debian suite, like `trixie`. */
  readonly suite?: string;
}

/** The packages of an image. */
export interface ImagePackages {
  readonly image: string;
  readonly digest: Digest;
  readonly packages: readonly ImagePackage[];
  /** Statements of its publisher. */
  readonly vex?: readonly VexStatement[];
}

/**
 * `fixable`: a newer version has the fix. `no-fix`: none has, or it is not released. `ignored`:
 * Debian will not fix it. `unknown`: the data does not say. `not-affected`: by the data or by a
 * reviewed decision. `accepted`: the policy accepts it until a date.
 */
export type CveState = 'fixable' | 'no-fix' | 'ignored' | 'unknown' | 'not-affected' | 'accepted';

/** The states in the order of reports. */
export const CVE_STATES = [
  'fixable',
  'no-fix',
  'unknown',
  'ignored',
  'accepted',
  'not-affected',
] as const satisfies readonly CveState[];

/** The result of comparing one package with the data about one vulnerability. */
export interface Verdict {
  readonly state: CveState;
  /** First version with the fix. */
  readonly fixed?: string;
  /** The reason of the state, as a clause. */
  readonly why?: string;
}

/** A vulnerability of a package, with all images that contain it in this state. */
export interface Finding extends Verdict {
  /** Its CVE name, else the name in the data. */
  readonly cve: string;
  /** Its other names, sorted. */
  readonly aliases: readonly string[];
  readonly kind: PackageKind;
  /** Name of the package; for Debian of its source package, which may have several packages. */
  readonly package: string;
  readonly version: string;
  /** The packages in the images; for Debian, the vulnerability may concern another one. */
  readonly packages: readonly ImagePackage[];
  /** Images that contain the package, sorted by name. */
  readonly images: readonly FoundIn[];
}

/** An image that contains a package. */
export interface FoundIn {
  readonly image: string;
  readonly digest: Digest;
}

/** Vulnerabilities of images. */
export interface CveReport {
  /** Sorted by vulnerability and package. */
  readonly findings: readonly Finding[];
  /** Packages that no data could be compared with, a sentence each. */
  readonly unchecked: readonly string[];
}

/** A statement of an OpenVEX document that a vulnerability does not affect images. */
export interface VexStatement {
  /** Names of the vulnerability. */
  readonly names: readonly string[];
  /** Digests of images; empty for a statement about packages in any image. */
  readonly digests: readonly string[];
  /** Package URLs without qualifiers; empty for all packages of the images. */
  readonly packages: readonly string[];
  readonly status: 'not_affected' | 'affected' | 'fixed' | 'under_investigation';
  /** The reason of the status. */
  readonly why: string;
}

import type { Digest, Fingerprint, ImageName, Platform, Series, Sha256 } from '#core';
import type { SchemaRevisions } from './schema-changes.ts';

/** The app spec of an image, as it was when the set was written. */
export interface SetAppSpec {
  /** Digest of the OCI artifact with these files. */
  readonly digest: Digest;
  /** Format version of the app spec. */
  readonly schema: string;
  /** Text by path: `app.yaml` and the files below `config` that it names. */
  readonly files: Readonly<Record<string, string>>;
}

/** Digests of the statements about an image: manifests of referrers, without signatures. */
export interface SetStatements {
  /** SPDX 2.3 package list. */
  readonly spdx: Digest;
  /** CycloneDX 1.6 package list. */
  readonly cyclonedx: Digest;
  /** SLSA provenance. */
  readonly provenance: Digest;
  /** in-toto test result. */
  readonly tests: Digest;
  /** OpenVEX document; absent without a decision about the image's packages. */
  readonly vex?: Digest;
}

/** One image of a set. */
export interface ImageSetEntry {
  readonly name: ImageName;
  /** `<series>-<32 hex digits>`: the tag people see. */
  readonly version: string;
  readonly fingerprint: Fingerprint;
  /** Digest of the image manifest; deployments refer to the image by this digest. */
  readonly digest: Digest;
  /** Bytes of all layers, unpacked. */
  readonly size: number;
  /** Bytes of all layers, compressed as stored. */
  readonly compressedSize: number;
  /** False for images that are used in builds only. */
  readonly shipped: boolean;
  /**
   * True if the build steps had network access, so that the locks do not cover all contents;
   * otherwise absent.
   */
  readonly unlocked?: true;
  /** Source name -> repository, commit and version. */
  readonly sources: Readonly<
    Record<
      string,
      { readonly repository: string; readonly commit: string; readonly version: string }
    >
  >;
  /**
   * SHA-256 of each package list: Debian by stage, Python by use, Go modules and npm packages if
   * the image has any.
   */
  readonly packages: {
    readonly debian: Readonly<Record<string, Sha256>>;
    readonly python: Readonly<Record<string, Sha256>>;
    readonly go?: Readonly<Record<string, Sha256>>;
    readonly npm?: Readonly<Record<string, Sha256>>;
  };
  /** Role -> name of the parent. */
  readonly parents: Readonly<Record<string, ImageName>>;
  /** Hash of the inputs with parents by digest; absent in format 1. */
  readonly contentKey?: string;
  /** Key of the tests that the image has passed. */
  readonly tests?: string;
  /** Absent for images without an app spec, and in format 1. */
  readonly app?: SetAppSpec;
  /** Migrations of its databases, possibly none; absent for images without sources. */
  readonly schema?: SchemaRevisions;
  /** In format 3: absent for unlocked images, and for sets published without statements. */
  readonly statements?: SetStatements;
}

/**
 * A replaced upper constraint: `NAME==VERSION`, the reason, and the date of its next review
 * (`2026-12-31`).
 */
export interface SetOverride {
  readonly requirement: string;
  readonly reason: string;
  readonly expires: string;
}

/** An image set: images that were built together, by digest. Sorted by image name. */
export interface ImageSet {
  /** Sets of format 1 have no app specs, sets of format 2 no statements. */
  readonly format: 1 | 2 | 3;
  readonly series: Series;
  readonly platform: Platform;
  /** Replaced upper constraints of the series; absent if the series replaces none. */
  readonly overrides?: readonly SetOverride[];
  readonly images: readonly ImageSetEntry[];
}

import type { Digest, Fingerprint, ImageName, Platform, Series, Sha256 } from '#core';

/** One image of a set. */
export interface ImageSetEntry {
  readonly name: ImageName;
  /** `<series>-<32 hex digits>`: the tag people see. */
  readonly version: string;
  readonly fingerprint: Fingerprint;
  /** Digest of the image manifest; what a deployment names. */
  readonly digest: Digest;
  /** Bytes of all layers unpacked, and as stored. */
  readonly size: number;
  readonly compressedSize: number;
  /** False for images that only serve builds. */
  readonly shipped: boolean;
  /** True where its build steps had a network, so that no lock names all that is in it; else absent. */
  readonly unlocked?: true;
  /** Source -> what it was taken from. */
  readonly sources: Readonly<Record<string, { readonly repository: string; readonly commit: string; readonly version: string }>>;
  /** SHA-256 of the lists of packages: Debian's by stage, Python's by use, and of the files of Go modules where there are any. */
  readonly packages: {
    readonly debian: Readonly<Record<string, Sha256>>;
    readonly python: Readonly<Record<string, Sha256>>;
    readonly go?: Readonly<Record<string, Sha256>>;
    readonly npm?: Readonly<Record<string, Sha256>>;
  };
  /** Role -> name of the parent. */
  readonly parents: Readonly<Record<string, ImageName>>;
}

/** A replaced constraint: `NAME==VERSION`, why, and the last day (`2026-12-31`) on which nobody need look at it again. */
export interface SetOverride {
  readonly requirement: string;
  readonly reason: string;
  readonly expires: string;
}

/** The manifest of an image set: what was built together, by digest. Images by name. */
export interface ImageSet {
  readonly format: 1;
  readonly series: Series;
  readonly platform: Platform;
  /** Upper constraints of the series that were replaced, each with why and until when; absent where none was. */
  readonly overrides?: readonly SetOverride[];
  readonly images: readonly ImageSetEntry[];
}

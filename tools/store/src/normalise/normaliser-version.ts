/** Number of the canonical form of layers; part of the build semantics, so a change of it must change every fingerprint. */
export const NORMALISER_VERSION = 1;

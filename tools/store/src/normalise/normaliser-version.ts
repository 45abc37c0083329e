/**
 * Number of the canonical form of layers. It belongs to the build semantics: raise BUILD_SEMANTICS (plan) with it, or images
 * would keep fingerprints under which other bytes are known.
 */
export const NORMALISER_VERSION = 2;

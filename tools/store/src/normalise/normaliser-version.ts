/**
 * Version of the canonical form of layers. Raise BUILD_SEMANTICS (in plan) together with it, or
 * the fingerprints of existing images would refer to different bytes.
 */
export const NORMALISER_VERSION = 3;

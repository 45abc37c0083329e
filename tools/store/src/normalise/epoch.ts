/**
 * Latest time anything in an image carries, seconds since 1970 (2025-01-01T00:00:00Z): before any build, so what a build
 * touches is clamped to it while older times of packaged files stay. Templates pass the same number to build tools.
 */
export const SOURCE_DATE_EPOCH = 1_735_689_600;

/** The epoch as image configurations write it. */
export const EPOCH_TEXT = new Date(SOURCE_DATE_EPOCH * 1000).toISOString().replace('.000', '');

/** Number of the canonical form; part of the build semantics, so a change of it changes every fingerprint. */
export const NORMALISER_VERSION = 1;

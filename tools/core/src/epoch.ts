/**
 * The one time builds know, seconds since 1970 (2026-01-01T00:00:00Z): what a build touches is clamped to it, older times of
 * packaged files stay, and build tools get it as `SOURCE_DATE_EPOCH`.
 */
export const SOURCE_DATE_EPOCH = 1_767_225_600;

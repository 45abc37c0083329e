/**
 * The fixed time of all builds, in seconds since 1970 (2026-01-01T00:00:00Z). Later file times are
 * reduced to it, earlier times of packaged files stay, and build tools receive it as
 * `SOURCE_DATE_EPOCH`.
 */
export const SOURCE_DATE_EPOCH = 1_767_225_600;

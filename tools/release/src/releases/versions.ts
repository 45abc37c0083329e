import compare from 'semver/functions/compare.js';
import parse from 'semver/functions/parse.js';
import { CcpError } from '#core';

/** A release: `2026.1.3`, or a candidate for one: `2026.1.3-rc.1`. */
export interface ReleaseVersion {
  readonly text: string;
  /** The first two numbers. */
  readonly series: string;
  readonly patch: number;
  readonly isCandidate: boolean;
}

/**
 * Parses a version; undefined if the text is not a version. Build metadata and a leading `v` are
 * not allowed.
 */
export function parseVersion(text: string): ReleaseVersion | undefined {
  const version = text.length > 64 ? null : parse(text);
  if (version === null || version.version !== text || !/^\d/.test(text)) return undefined;
  const { major, minor, patch, prerelease } = version;
  return { text, series: `${major}.${minor}`, patch, isCandidate: prerelease.length > 0 };
}

/** Versions in the order of releases. */
export function sortVersions(versions: readonly ReleaseVersion[]): readonly ReleaseVersion[] {
  return [...versions].sort((a, b) => compare(a.text, b.text));
}

/** True if a version comes after another one. */
export function isHigher(version: ReleaseVersion, other: ReleaseVersion): boolean {
  return compare(version.text, other.text) > 0;
}

/**
 * Checks a new version of a series: its first two numbers are the series, its patch number is one
 * higher than the last release's, and a candidate is higher than earlier ones. Throws
 * `release-version`.
 */
export function checkNewVersion(
  text: string,
  series: string,
  existing: readonly ReleaseVersion[],
): ReleaseVersion {
  const refuse = (why: string, hint: string): CcpError =>
    new CcpError({ code: 'release-version', message: `${text} ${why}`, hint });
  const version = parseVersion(text);
  if (!/^\d{4}\.\d$/.test(series))
    throw refuse(`cannot be a release of ${series}`, 'only stable series have releases');
  const same = existing.filter((each) => each.series === series);
  const released = same.filter((each) => !each.isCandidate);
  const patch = released.reduce((last, each) => Math.max(last, each.patch), -1) + 1;
  const hint = `the next release is ${series}.${patch}, its candidates are ${series}.${patch}-rc.1 and so on`;
  if (version === undefined) throw refuse('is not a version', hint);
  if (version.series !== series) throw refuse(`is not a version of series ${series}`, hint);
  if (version.patch !== patch) throw refuse('is not the next version', hint);
  const later = same.find((each) => compare(each.text, text) >= 0);
  if (later !== undefined) throw refuse(`is not higher than ${later.text}`, hint);
  return version;
}

import { isDigest, isRecord, type Digest, type Json } from '#core';
import { setsRepository, type Place } from '../publish/place.ts';
import { findStatement } from '../publish/statements.ts';
import type { PublicKey } from '../sign/keys.ts';
import { diffLines, type ImageChange } from './diff-sets.ts';
import { packageLines, type PackageChange } from './diff-packages.ts';
import { parseVersion, sortVersions, type ReleaseVersion } from './versions.ts';

/** Predicate type of a changelog; docs/provenance.md describes it. */
const CHANGELOG = 'urn:ccp:changelog:v1';

/** The changes of a release since the release before it. */
export interface Changelog {
  readonly version: string;
  /** Absent for the first release of a series. */
  readonly previous?: { readonly version: string; readonly digest: Digest };
  readonly images: readonly ImageChange[];
  readonly packages: readonly PackageChange[];
}

/** The statement of a changelog, for `attachStatement`. */
export function changelogStatement(changelog: Changelog): {
  readonly predicateType: string;
  readonly predicate: Json;
} {
  return { predicateType: CHANGELOG, predicate: changelog as unknown as Json };
}

/** The release before a version in its series, a candidate only before a candidate. */
export function previousRelease(
  version: string,
  versions: readonly ReleaseVersion[],
): ReleaseVersion | undefined {
  const own = parseVersion(version);
  if (own === undefined) return undefined;
  const others = versions.filter(({ text }) => text !== version);
  const sorted = sortVersions([...others, own]);
  return sorted
    .slice(0, sorted.indexOf(own))
    .findLast((each) => each.series === own.series && (own.isCandidate || !each.isCandidate));
}

/**
 * The changelog of a version that one of `keys` signed, or the reason why there is none. A set can
 * have several versions, each with a changelog.
 */
export async function findChangelog(
  place: Place,
  digest: Digest,
  version: string,
  keys: readonly PublicKey[],
): Promise<Changelog | string> {
  const subject = { repository: setsRepository(place), digest };
  const found = await findStatement(place, subject, keys, {
    predicateType: CHANGELOG,
    matches: (predicate) => isRecord(predicate) && predicate['version'] === version,
  });
  return typeof found === 'string' ? found : parseChangelog(found.predicate);
}

/** A trusted key signed the changelog, so only its outline is checked. */
function parseChangelog(value: Json): Changelog | string {
  if (!isRecord(value)) return 'its changelog is not an object';
  const { version, previous, images, packages } = value;
  const isPrevious =
    previous === undefined ||
    (isRecord(previous) &&
      typeof previous['version'] === 'string' &&
      typeof previous['digest'] === 'string' &&
      isDigest(previous['digest']));
  if (typeof version !== 'string' || !isPrevious) return 'its changelog has no version';
  if (!Array.isArray(images) || !Array.isArray(packages)) return 'its changelog has no lists';
  return value as unknown as Changelog;
}

/** A changelog as text. */
export function changelogLines({
  version,
  previous,
  images,
  packages,
}: Changelog): readonly string[] {
  if (previous === undefined) return [`${version} is the first release of its series`];
  return [
    `changes of ${version} since ${previous.version}:`,
    ...diffLines(images),
    ...(packages.length === 0 ? [] : ['packages:']),
    ...packageLines(packages).map((line) => `  ${line}`),
  ];
}

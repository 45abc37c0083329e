import { setTimeout } from 'node:timers/promises';
import { CcpError, sha256, type Digest } from '#core';
import { MANIFEST_TYPE } from '../oci.ts';
import { DEAD_POLLS, POLL_MS, type Sleep } from '../publish/decide-tag.ts';
import { setsRepository, type Place } from '../publish/place.ts';
import { isHigher, parseVersion, sortVersions, type ReleaseVersion } from './versions.ts';

/** A run that creates a version, by its tag `creating-VERSION-MARK`. */
interface VersionClaim {
  readonly version: ReleaseVersion;
  /** Hash of the version and the set. */
  readonly mark: string;
  readonly tag: string;
}

export interface ClaimOptions {
  readonly place: Place;
  readonly series: string;
  readonly version: string;
  /** Digest of the set's manifest. */
  readonly digest: Digest;
  /** The set's manifest. */
  readonly manifest: Uint8Array;
  /** Waits between looks; a timer by default. */
  readonly sleep?: Sleep;
  /** Checks the version against all versions. */
  readonly check: (versions: readonly ReleaseVersion[]) => Promise<void>;
}

/** Looks by the run with the first claim, before it continues. */
const CLAIM_POLLS = 6;

/**
 * Claims a version of a series for this run; runs that create versions of one series at the same
 * time see each other's claims, so one of them continues, unless the registry needs more than 3 s
 * between two requests: then versions can be created out of their order. Throws `release-busy` in
 * the others, and the errors of `check`.
 */
export async function claimVersion(options: ClaimOptions): Promise<void> {
  const { place, series, version, digest, manifest, sleep = setTimeout, check } = options;
  const repository = setsRepository(place);
  const mark = sha256(`${version} ${digest}`).slice(0, 32);
  const others = async (): Promise<Claims> => {
    const { versions, claims } = await claimsOf(place, series);
    return { versions, claims: claims.filter((claim) => claim.mark !== mark) };
  };
  let before = await others();
  // Claims that stay all the time are those of killed runs.
  let killed = before.claims;
  for (let poll = 0; poll < DEAD_POLLS && killed.length > 0; poll += 1) {
    await sleep(POLL_MS);
    before = await others();
    const left = tagsOf(before.claims);
    killed = killed.filter(({ tag }) => left.has(tag));
  }
  await check(before.versions);
  const known = new Set(before.versions.map(({ text }) => text));
  const ended = tagsOf(killed);
  await place.registry.writeManifest(
    repository,
    `creating-${version}-${mark}`,
    MANIFEST_TYPE,
    manifest,
  );
  for (let poll = 0; ; poll += 1) {
    const { versions, claims } = await others();
    const released = versions.find(({ text }) => !known.has(text) && text !== version);
    if (released !== undefined) throw busy(`released ${released.text}`);
    // The caller compares the version's set with its own.
    if (versions.some(({ text }) => text === version)) return;
    const live = claims.filter(({ tag }) => !ended.has(tag));
    const first = live.find((claim) => claim.mark < mark);
    if (first !== undefined) throw busy(`creates ${first.version.text}`);
    if (live.length === 0 || poll === CLAIM_POLLS) return;
    await sleep(POLL_MS);
  }
}

function tagsOf(claims: readonly VersionClaim[]): ReadonlySet<string> {
  return new Set(claims.map(({ tag }) => tag));
}

function busy(what: string): CcpError {
  return new CcpError({
    code: 'release-busy',
    message: `another run ${what} at the same time`,
    hint: 'see `ccp release list`, then run the command again, or with the next version',
  });
}

interface Claims {
  /** All versions of the series. */
  readonly versions: readonly ReleaseVersion[];
  /** Claims of versions that do not exist, and that can still be created. */
  readonly claims: readonly VersionClaim[];
}

const CLAIM = /^creating-(.{1,64})-([0-9a-f]{32})$/;

async function claimsOf({ registry, prefix }: Place, series: string): Promise<Claims> {
  const tags = await registry.tags(setsRepository({ prefix }));
  const versions = tags
    .flatMap((tag) => parseVersion(tag) ?? [])
    .filter((version) => version.series === series);
  const highest = sortVersions(versions).at(-1);
  const claims = tags.flatMap((tag): readonly VersionClaim[] => {
    const [, text = '', mark = ''] = CLAIM.exec(tag) ?? [];
    const version = parseVersion(text);
    return version?.series === series && (highest === undefined || isHigher(version, highest))
      ? [{ version, mark, tag }]
      : [];
  });
  return { versions, claims };
}

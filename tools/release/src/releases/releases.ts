import { CcpError, isDigest, omitUndefined, type Digest } from '#core';
import { MANIFEST_TYPE } from '../oci.ts';
import { decideTag } from '../publish/decide-tag.ts';
import { readBack, setsRepository, type Place, type Subject } from '../publish/place.ts';
import { inputsTag, setTag } from '../publish/set-artifact.ts';
import { attachStatement, findStatement } from '../publish/statements.ts';
import { setMissing, trustedSet, untrusted, type TrustedSet } from '../publish/verify-set.ts';
import type { PublicKey, Signer } from '../sign/keys.ts';
import type { ImageSet } from '../types.ts';
import { readAlias } from './aliases.ts';
import { changelogStatement, type Changelog } from './changelog.ts';
import { claimVersion, type ClaimOptions } from './claim-version.ts';
import { setProvenance, type SetSource } from './set-source.ts';
import { checkNewVersion, parseVersion, sortVersions, type ReleaseVersion } from './versions.ts';

/** Predicate type of in-toto's release attestation. */
const RELEASE = 'https://in-toto.io/attestation/release/v0.1';

interface ReleasePredicate {
  readonly purl: string;
  readonly releaseId: string;
  readonly [key: string]: string;
}

/** The statement that a manifest is the release of a version. */
export function releaseStatement(version: string): {
  readonly predicateType: string;
  readonly predicate: ReleasePredicate;
} {
  const predicate = { purl: `pkg:generic/ccp-image-set@${version}`, releaseId: version };
  return { predicateType: RELEASE, predicate };
}

/** All released versions, in their order. */
export async function listVersions(place: Place): Promise<readonly ReleaseVersion[]> {
  const tags = await place.registry.tags(setsRepository(place));
  return sortVersions(tags.flatMap((tag) => parseVersion(tag) ?? []));
}

export interface NewRelease {
  readonly place: Place;
  /** Digest of the published set's manifest. */
  readonly digest: Digest;
  readonly series: string;
  readonly version: string;
  readonly signer: Signer;
  /** Signed with the version. */
  readonly changelog?: Changelog;
  /** The commit that the set was built from, for its provenance. */
  readonly source?: { readonly set: ImageSet; readonly from: SetSource };
  /** Waits between looks at other runs; a timer by default. */
  readonly sleep?: ClaimOptions['sleep'];
}

/**
 * Names a published set by a version, after the version was signed; a version never moves. A set
 * that has this version already is signed too. Of runs that create versions of a series at the same
 * time, one continues. Throws `release-exists`, `release-version` and `release-busy`. False if the
 * set had this version already.
 */
export async function createRelease({
  place,
  digest,
  series,
  version,
  signer,
  changelog,
  source,
  sleep,
}: NewRelease): Promise<boolean> {
  const { registry } = place;
  const repository = setsRepository(place);
  const isTaken = async (): Promise<boolean> => {
    const taken = await registry.manifestDigest(repository, version);
    if (taken === undefined || taken === digest) return taken === digest;
    throw new CcpError({
      code: 'release-exists',
      message: `${registry.host}/${repository}:${version} is ${taken}; a released name never moves`,
      hint: 'release the set with the next version',
    });
  };
  const isNew = !(await isTaken());
  if (isNew) checkNewVersion(version, series, await listVersions(place));
  const manifest = await registry.readManifest(repository, digest);
  if (manifest === undefined)
    throw new CcpError({
      code: 'set-missing',
      message: `${registry.host}/${repository} has no image set ${digest}`,
      hint: 'publish it with `ccp publish`',
    });
  if (isNew)
    await claimVersion({
      place,
      series,
      version,
      digest,
      manifest: manifest.bytes,
      ...omitUndefined({ sleep }),
      check: async (versions) => {
        if (!(await isTaken())) checkNewVersion(version, series, versions);
      },
    });
  // Another run may have been first: then this set must not be signed with the version.
  if (!(await isTaken())) {
    const decided = await decideTag({
      registry,
      repository,
      tag: version,
      manifest: manifest.bytes,
      ...omitUndefined({ sleep }),
    });
    if (decided !== digest) throw claimedBefore(place, version, decided);
  }
  const subject = { repository, digest, size: manifest.bytes.length };
  if (changelog !== undefined)
    await attachStatement(place, subject, signer, changelogStatement(changelog));
  if (source !== undefined) await attachSource(place, subject, signer, source);
  await attachStatement(place, subject, signer, releaseStatement(version));
  if (await isTaken()) return false;
  await registry.writeManifest(repository, version, MANIFEST_TYPE, manifest.bytes);
  await readBack(registry, repository, version, digest);
  return true;
}

/** Signs the provenance of a set, unless this key signed one: two commits can give one set. */
async function attachSource(
  place: Place,
  subject: Subject,
  signer: Signer,
  { set, from }: NonNullable<NewRelease['source']>,
): Promise<void> {
  const statement = setProvenance(set, from);
  const { predicateType } = statement;
  const found = await findStatement(place, subject, [signer.key], { predicateType });
  if (typeof found === 'string') await attachStatement(place, subject, signer, statement);
}

/** The error if another run claimed a version for another set, and may have been killed. */
function claimedBefore(place: Place, version: string, other: Digest): CcpError {
  return new CcpError({
    code: 'release-exists',
    message: `another run claimed ${version} for ${place.registry.host}/${setsRepository(place)}@${other}`,
    hint: 'release that set with the version, then this set with the next version',
  });
}

/** A released set, by version, alias or digest. */
export interface TrustedRelease extends TrustedSet {
  /** Absent for a set that is named by its digest or by the tag of its content. */
  readonly version?: string;
}

/**
 * A published set by version, alias, tag or digest. A version must be signed as a release of this
 * set, an alias as a record; a tag must be that of the set's content. Throws `set-missing` and
 * `untrusted`.
 */
export async function trustedRelease(
  place: Place,
  reference: string,
  keys: readonly PublicKey[],
): Promise<TrustedRelease> {
  const isVersion = parseVersion(reference) !== undefined;
  const alias =
    isVersion || isDigest(reference) || !isAliasName(reference)
      ? undefined
      : await readAlias(place, reference, keys);
  const version = alias?.record.to.version ?? (isVersion ? reference : undefined);
  // A tag with the name of an alias proves nothing.
  if (alias === undefined && isAliasName(reference)) throw setMissing(place, reference);
  const found = await trustedSet(place, version ?? reference, keys);
  if (version === undefined) {
    checkContentTag(place, reference, found);
    return found;
  }
  const { registry } = place;
  const name = `${registry.host}/${setsRepository(place)}:${version}`;
  if (alias !== undefined && alias.record.to.digest !== found.digest)
    throw untrusted(name, `${reference} names ${alias.record.to.digest}, not ${found.digest}`);
  const subject = { repository: setsRepository(place), digest: found.digest };
  const released = await findStatement(place, subject, keys, releaseStatement(version));
  if (typeof released === 'string') throw untrusted(name, released);
  return { ...found, version };
}

/** Throws `untrusted` if a tag is not that of the set's content or inputs: anyone may move it. */
function checkContentTag(place: Place, reference: string, { set, digest }: TrustedSet): void {
  const own = setTag(set, digest);
  if ([digest, own, inputsTag(set.images)].includes(reference)) return;
  throw untrusted(
    `${place.registry.host}/${setsRepository(place)}:${reference}`,
    `it names ${digest}, which has the tag ${own}`,
  );
}

/** True for names that an alias may have: `stable`, `2026.1`. */
export function isAliasName(text: string): boolean {
  return /^(?:[a-z][a-z0-9-]{0,30}|\d{4}\.\d)$/.test(text) && !text.startsWith('alias-');
}

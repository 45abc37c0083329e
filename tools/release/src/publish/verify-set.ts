import { CcpError, digestOf, isDigest, messageOf, omitUndefined, type Digest } from '#core';
import { parseImageSet } from '../image-set.ts';
import { manifestParts, type BlobDescriptor, type ManifestParts } from '../oci.ts';
import { SIGNATURE } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';
import type { ImageSet } from '../types.ts';
import { readWhole, setsRepository, type Place } from './place.ts';
import { isSetType } from './set-artifact.ts';
import { findStatement } from './statements.ts';

const MAX_SET = 64 << 20;

/** A published image set. */
export interface FoundSet {
  readonly set: ImageSet;
  /** Text of the set's file. */
  readonly text: string;
  /** Digest of the set's manifest. */
  readonly digest: Digest;
  /** Bytes of the set's manifest. */
  readonly size: number;
}

/** A set whose signature is valid. */
export interface TrustedSet extends FoundSet {
  readonly key: PublicKey;
}

/**
 * Reads a published set by tag or digest, without checking its signature. Undefined if it does not
 * exist. Throws `image-set-invalid`.
 */
export async function findSet(place: Place, reference: string): Promise<FoundSet | undefined> {
  const { registry } = place;
  const repository = setsRepository(place);
  const manifest = await registry.readManifest(repository, reference);
  if (manifest === undefined) return undefined;
  const name = `${registry.host}/${repository}${isDigest(reference) ? '@' : ':'}${reference}`;
  const { digest, bytes, blob } = setBlob(manifest.bytes, name);
  const text = (await readWhole(registry, repository, blob, MAX_SET)).toString();
  return { set: parseImageSet(text, name), text, digest, size: bytes };
}

function setBlob(
  bytes: Uint8Array,
  name: string,
): { readonly digest: Digest; readonly bytes: number; readonly blob: BlobDescriptor } {
  const refuse = (why: string, cause?: unknown): CcpError =>
    new CcpError({
      code: 'image-set-invalid',
      message: `${name} is not an image set: ${why}`,
      hint: 'name a set that `ccp publish` wrote',
      ...omitUndefined({ cause }),
    });
  let parts: ManifestParts;
  try {
    parts = manifestParts(bytes);
  } catch (thrown) {
    throw refuse(messageOf(thrown), thrown);
  }
  const { artifactType, layers } = parts;
  const [blob] = layers;
  if (!isSetType(artifactType) || blob === undefined)
    throw refuse(`its manifest has the artifact type ${JSON.stringify(artifactType)}`);
  return { digest: digestOf(bytes), bytes: bytes.length, blob };
}

/**
 * Reads a published set and checks its signature. Throws `set-missing`, and `untrusted` if no
 * trusted key signed it.
 */
export async function trustedSet(
  place: Place,
  reference: string,
  keys: readonly PublicKey[],
): Promise<TrustedSet> {
  const found = await findSet(place, reference);
  const name = `${place.registry.host}/${setsRepository(place)}`;
  if (found === undefined) throw setMissing(place, reference);
  const subject = { repository: setsRepository(place), digest: found.digest };
  const signed =
    keys.length === 0
      ? 'no key is trusted'
      : await findStatement(place, subject, keys, { predicateType: SIGNATURE });
  if (typeof signed === 'string') throw untrusted(`${name}@${found.digest}`, signed);
  return { ...found, key: signed.key };
}

/** The error for a set that the registry does not have. */
export function setMissing(place: Place, reference: string): CcpError {
  return new CcpError({
    code: 'set-missing',
    message: `${place.registry.host}/${setsRepository(place)} has no image set ${reference}`,
    hint: 'publish it with `ccp publish`, or list releases with `ccp release list`',
  });
}

/** The error for an artifact that proves nothing. */
export function untrusted(name: string, why: string): CcpError {
  return new CcpError({
    code: 'untrusted',
    message: `${name} is not trusted: ${why}`,
    hint: "name the publisher's public key with --trust, or in `trust` of .ccp.yaml; a publisher signs with `ccp publish --key FILE` or `ccp sign`",
  });
}

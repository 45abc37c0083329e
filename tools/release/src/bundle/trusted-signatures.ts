import { codeOf, digestOf, hexOf, isDigest, isRecord, parseJson, type Digest } from '#core';
import { manifestParts } from '../oci.ts';
import { readWhole, type Place, type Subject } from '../publish/place.ts';
import { layersIn } from '../publish/simple-tag.ts';
import { MAX_BUNDLE, MAX_CANDIDATES } from '../publish/statements.ts';
import { BUNDLE_TYPE, checkBundle, SIGNATURE } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';
import { SIGNATURE_NOTE } from '../sign/simple-signing.ts';

/** A manifest of signatures with its blobs. */
export interface SignatureManifest {
  readonly digest: Digest;
  readonly manifest: Uint8Array;
  /** Blobs by digest, the config too. */
  readonly blobs: ReadonlyMap<Digest, Uint8Array>;
}

type About = Pick<Subject, 'repository' | 'digest'>;

/**
 * The statements about a manifest that one of `keys` signed, sorted by digest. Others are left out,
 * since anyone who can write to the registry can add any.
 */
export async function trustedStatements(
  place: Place,
  { repository, digest }: About,
  keys: readonly PublicKey[],
): Promise<readonly SignatureManifest[]> {
  const found: SignatureManifest[] = [];
  const candidates = (await place.registry.referrers(repository, digest)).filter(
    ({ artifactType }) => artifactType === BUNDLE_TYPE,
  );
  for (const { digest: reference, annotations } of candidates.slice(0, MAX_CANDIDATES)) {
    const predicateType = annotations?.['dev.sigstore.bundle.predicateType'] ?? SIGNATURE;
    const read = await readSignatures(place, repository, reference);
    const [layer, ...others] = layersIn(read?.manifest);
    const bundle = layer && read?.blobs.get(layer.digest);
    if (read === undefined || bundle === undefined || others.length > 0) continue;
    const checked = checkBundle(bundle, keys, { subject: digest, predicateType });
    if (typeof checked !== 'string') found.push(read);
  }
  return found.sort((a, b) => (a.digest < b.digest ? -1 : 1));
}

/** The manifest of the tag `sha256-HEX.sig`; undefined if none of `keys` signed in it. */
export async function trustedSimpleTag(
  place: Place,
  { repository, digest }: About,
  keys: readonly PublicKey[],
): Promise<SignatureManifest | undefined> {
  const read = await readSignatures(place, repository, `sha256-${hexOf(digest)}.sig`);
  const isSigned = layersIn(read?.manifest).some((layer) => {
    const payload = read!.blobs.get(layer.digest);
    const signature = Buffer.from(layer.annotations?.[SIGNATURE_NOTE] ?? '', 'base64');
    return (
      payload !== undefined &&
      isAbout(payload, digest) &&
      keys.some((key) => key.isValid(payload, signature))
    );
  });
  return isSigned ? read : undefined;
}

function isAbout(payload: Uint8Array, digest: Digest): boolean {
  try {
    const value = parseJson(Buffer.from(payload).toString());
    const critical = isRecord(value) ? value['critical'] : undefined;
    const image = isRecord(critical) ? critical['image'] : undefined;
    return isRecord(image) && image['docker-manifest-digest'] === digest;
  } catch {
    return false;
  }
}

/** A manifest with all its blobs, if they are few and small enough for signatures. */
async function readSignatures(
  { registry }: Place,
  repository: string,
  reference: string,
): Promise<SignatureManifest | undefined> {
  try {
    const found = await registry.readManifest(repository, reference);
    if (found === undefined) return undefined;
    const digest = digestOf(found.bytes);
    if (isDigest(reference) && digest !== reference) return undefined;
    const { config, layers } = manifestParts(found.bytes);
    const parts = [...(config === undefined ? [] : [config]), ...layers];
    if (parts.length > MAX_CANDIDATES || parts.some(({ size }) => size > MAX_BUNDLE))
      return undefined;
    const blobs = new Map<Digest, Uint8Array>();
    for (const part of parts) {
      const bytes = await readWhole(registry, repository, part, MAX_BUNDLE);
      if (digestOf(bytes) !== part.digest) return undefined;
      blobs.set(part.digest, bytes);
    }
    return { digest, manifest: found.bytes, blobs };
  } catch (thrown) {
    if (codeOf(thrown) === 'registry-unreachable') throw thrown;
    return undefined;
  }
}

import type { Digest } from '#core';
import { setsRepository, type Place } from '../publish/place.ts';
import { setArtifact } from '../publish/set-artifact.ts';
import { layersIn } from '../publish/simple-tag.ts';
import { untrusted } from '../publish/verify-set.ts';
import { checkBundle, SIGNATURE } from '../sign/envelope.ts';
import type { PublicKey } from '../sign/keys.ts';
import type { ImageSet } from '../types.ts';
import { trustedStatements } from './trusted-signatures.ts';

/**
 * The signature of a published set as a sigstore bundle: a file that proves the set without a
 * registry. Throws `untrusted` if no trusted key signed the set.
 */
export async function setSignature(
  place: Place,
  digest: Digest,
  keys: readonly PublicKey[],
): Promise<Uint8Array> {
  const repository = setsRepository(place);
  const wanted = { subject: digest, predicateType: SIGNATURE };
  for (const { manifest, blobs } of await trustedStatements(place, { repository, digest }, keys)) {
    const [layer] = layersIn(manifest);
    const bundle = layer && blobs.get(layer.digest);
    if (bundle !== undefined && typeof checkBundle(bundle, keys, wanted) !== 'string')
      return bundle;
  }
  throw untrusted(`${place.registry.host}/${repository}@${digest}`, 'no trusted key signed it');
}

/**
 * The key whose signature in a bundle proves a set, or the reason why the bundle proves nothing.
 */
export function setSigner(
  set: ImageSet,
  bundle: Uint8Array,
  keys: readonly PublicKey[],
): PublicKey | string {
  const subject = setArtifact(set).digest;
  const checked = checkBundle(bundle, keys, { subject, predicateType: SIGNATURE });
  return typeof checked === 'string' ? checked : checked.key;
}

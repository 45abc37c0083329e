import { CcpError, codeOf, isDigest, messageOf } from '#core';
import type { FoundSet, Place, PublicKey } from '#release';
import type { CommandDefinition } from '../command.ts';
import type { KeyFlags, TrustFlags } from '../compose/registry-place.ts';
import { KEY, TO, TRUST } from '../options.ts';

export interface SignFlags extends KeyFlags, TrustFlags {
  readonly to?: string;
}

/**
 * `ccp sign SET`: adds a signature to a set that is named by digest, or that a trusted key signed.
 */
export const sign: CommandDefinition<SignFlags> = {
  usage: 'sign <set>',
  description: 'sign a published image set; one signature covers all images of the set',
  options: [TO, ...KEY, TRUST],
  examples: [
    'ccp sign sha256:DIGEST --to registry.example.org/ccp --key release.key',
    'ccp sign 2026.1.0 --to registry.example.org/ccp --key second.key --trust release.key.pub',
  ],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { setsRepository, signManifest } = await import('#release');
    const { openPlace, readTrustedKeys, requireSigner } =
      await import('../compose/registry-place.ts');
    const signer = requireSigner(flags);
    const keys = [signer.key, ...readTrustedKeys(root, flags)];
    const place = await openPlace(flags.to, '--to');
    const { digest, size } = await setToSign(place, reference, keys);
    const repository = setsRepository(place);
    await signManifest(place, { repository, digest, size }, signer);
    output.result(`${place.registry.host}/${repository}@${digest} signed with ${signer.key.name}`, {
      digest,
      key: signer.key.id,
    });
    return 0;
  },
};

/** A registry can move a tag to any set, so an unsigned set must be named by digest. */
async function setToSign(
  place: Place,
  reference: string,
  keys: readonly PublicKey[],
): Promise<Pick<FoundSet, 'digest' | 'size'>> {
  const { findSet, setMissing, trustedRelease } = await import('#release');
  if (isDigest(reference)) {
    const found = await findSet(place, reference);
    if (found === undefined) throw setMissing(place, reference);
    return found;
  }
  try {
    return await trustedRelease(place, reference, keys);
  } catch (thrown) {
    if (codeOf(thrown) !== 'untrusted') throw thrown;
    throw new CcpError({
      code: 'untrusted',
      message: messageOf(thrown),
      hint: 'name the set by the digest that `ccp publish` printed, or a key that signed it with --trust',
      cause: thrown,
    });
  }
}

import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { KeyFlags } from '../compose/registry-place.ts';
import { KEY, TO } from '../options.ts';

export interface SignFlags extends KeyFlags {
  readonly to?: string;
}

/** `ccp sign SET`: adds a signature to a published image set. */
export const sign: CommandDefinition<SignFlags> = {
  usage: 'sign <set>',
  description: 'add a signature to a published image set; it proves all images of the set',
  options: [TO, ...KEY],
  examples: ['ccp sign 2026.1.0 --to registry.example.org/ccp --key release.key'],
  run: async ({ output }, [reference = ''], flags) => {
    const { findSet, setsRepository, signManifest } = await import('#release');
    const { openPlace, requireSigner } = await import('../compose/registry-place.ts');
    const signer = requireSigner(flags);
    const place = await openPlace(flags.to, '--to');
    const found = await findSet(place, reference);
    const repository = setsRepository(place);
    if (found === undefined)
      throw new CcpError({
        code: 'set-missing',
        message: `${place.registry.host}/${repository} has no image set ${reference}`,
        hint: 'publish it with `ccp publish`',
      });
    const { digest, size } = found;
    await signManifest(place, { repository, digest, size }, signer);
    output.result(`${place.registry.host}/${repository}@${digest} signed with ${signer.key.name}`, {
      digest,
      key: signer.key.id,
    });
    return 0;
  },
};

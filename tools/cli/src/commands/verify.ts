import { counted } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { FROM, TRUST } from '../options.ts';

export interface VerifyFlags extends TrustFlags {
  readonly from?: string;
}

/** `ccp verify SET`: the signature of a published set, and that the registry has its content. */
export const verify: CommandDefinition<VerifyFlags> = {
  usage: 'verify <set>',
  description: 'check the signature of a published image set, and that no image is missing',
  options: [FROM, TRUST],
  examples: ['ccp verify 2026.1.0 --from registry.example.org/ccp --trust release.key.pub'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { checkSetContent, trustedRelease } = await import('#release');
    const { openReader } = await import('../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const { set, digest, key } = await trustedRelease(place, reference, keys);
    await checkSetContent(place, set);
    output.result(
      `${reference} is signed by ${key.name} and complete: ${counted(set.images.length, 'image')} of ${set.series} (${digest})`,
      { reference, digest, key: key.name, keyId: key.id, images: set.images.length },
    );
    return 0;
  },
};

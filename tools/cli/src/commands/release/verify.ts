import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';

export interface VerifyReleaseFlags extends TrustFlags {
  readonly from?: string;
}

/** `ccp release verify VERSION`: signatures of version, alias and set, and the set's content. */
export const verify: CommandDefinition<VerifyReleaseFlags> = {
  usage: 'verify <version>',
  description: 'check that a version or alias is signed, and that no image of its set is missing',
  options: [FROM, TRUST],
  examples: ['ccp release verify stable --from registry.example.org/ccp --trust release.key.pub'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { checkSetContent, trustedRelease } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const { set, digest, version, key } = await trustedRelease(place, reference, keys);
    await checkSetContent(place, set);
    output.result(
      `${reference}${version === undefined || version === reference ? '' : ` (${version})`} is signed by ${key.name} and complete: ${counted(set.images.length, 'image')} (${digest})`,
      { reference, version, digest, key: key.name, images: set.images.length },
    );
    return 0;
  },
};

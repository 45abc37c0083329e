import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { DEEP, FROM, TRUST } from '../../options.ts';

export interface VerifyReleaseFlags extends TrustFlags {
  readonly from?: string;
  readonly deep?: boolean;
}

/** `ccp release verify VERSION`: signatures of version, alias and set, and the set's content. */
export const verify: CommandDefinition<VerifyReleaseFlags> = {
  usage: 'verify <version>',
  description:
    'check that a version or alias is signed, and that the registry has all content of its images',
  options: [FROM, TRUST, DEEP],
  examples: ['ccp release verify stable --from registry.example.org/ccp --trust release.key.pub'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { contentText } = await import('../../report/content-text.ts');
    const { checkSetContent, trustedRelease } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const found = await trustedRelease(place, reference, keys);
    const { set, digest, version, key } = found;
    const checked = await checkSetContent(place, found, {
      deep: flags.deep === true,
      onStep: output.info,
    });
    output.result(
      `${reference}${version === undefined || version === reference ? '' : ` (${version})`} is signed by ${key.name} and complete: ${contentText(set, checked)} (${digest})`,
      { reference, version, digest, key: key.name, images: set.images.length, ...checked },
    );
    return 0;
  },
};

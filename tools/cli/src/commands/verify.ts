import type { CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { DEEP, FROM, TRUST } from '../options.ts';

export interface VerifyFlags extends TrustFlags {
  readonly from?: string;
  readonly deep?: boolean;
}

/** `ccp verify SET`: the signature of a published set, and that the registry has its content. */
export const verify: CommandDefinition<VerifyFlags> = {
  usage: 'verify <set>',
  description:
    'check the signature of a published image set, and that the registry has all content of its images',
  options: [FROM, TRUST, DEEP],
  examples: ['ccp verify 2026.1.0 --from registry.example.org/ccp --trust release.key.pub'],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { contentText } = await import('../report/content-text.ts');
    const { checkSetContent, trustedRelease } = await import('#release');
    const { openReader } = await import('../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const found = await trustedRelease(place, reference, keys);
    const { set, digest, key } = found;
    const checked = await checkSetContent(place, found, {
      deep: flags.deep === true,
      onStep: output.info,
    });
    output.result(
      `${reference} is signed by ${key.name} and complete: ${contentText(set, checked)} (${digest})`,
      { reference, digest, key: key.name, keyId: key.id, images: set.images.length, ...checked },
    );
    return 0;
  },
};

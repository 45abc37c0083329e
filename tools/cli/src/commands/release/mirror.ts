import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TO, TRUST } from '../../options.ts';
import { sizeText } from '../../report/text.ts';

export interface MirrorFlags extends TrustFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `ccp release mirror VERSION`: copies a release to another registry. */
export const mirror: CommandDefinition<MirrorFlags> = {
  usage: 'mirror <version>',
  description: 'copy a release with its images, statements and signatures to another registry',
  options: [FROM, TO, TRUST],
  examples: [
    'ccp release mirror 2026.1.0 --from registry.example.org/ccp --to mirror.example.net/ccp',
  ],
  run: async ({ root, output }, [reference = ''], flags) => {
    const { mirrorRelease, trustedRelease } = await import('#release');
    const { openPlace, openReader } = await import('../../compose/registry-place.ts');
    const { place: from, keys } = await openReader(root, flags);
    const to = await openPlace(flags.to, '--to');
    const release = await trustedRelease(from, reference, keys);
    const { manifests, bytes } = await mirrorRelease({
      from,
      to,
      release,
      keys,
      onStep: output.info,
    });
    const { digest, version = reference } = release;
    output.result(
      `${version} is ${to.registry.host}/${to.prefix}/ccp.sets@${digest} (${counted(manifests, 'new manifest')}, ${sizeText(bytes)} copied)`,
      { version, digest, manifests, bytes },
    );
    return 0;
  },
};

import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';

export interface ListFlags extends TrustFlags {
  readonly from?: string;
}

/** `ccp release list`: versions and aliases with the state of their signatures. */
export const list: CommandDefinition<ListFlags> = {
  usage: 'list',
  description:
    'list versions and aliases, whether a trusted key signed each, and the last move of each alias',
  options: [FROM, TRUST],
  examples: ['ccp release list --from registry.example.org/ccp --trust release.key.pub'],
  run: async ({ root, output }, _names, flags) => {
    const { listReleases, releaseLines } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const releases = await listReleases(place, keys);
    output.result(releaseLines(releases).join('\n'), releases);
    return 0;
  },
};

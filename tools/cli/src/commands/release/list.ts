import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { FROM, TRUST } from '../../options.ts';

export interface ListFlags extends TrustFlags {
  readonly from?: string;
}

/** `ccp release list`: versions and aliases, with the last move of each alias. */
export const list: CommandDefinition<ListFlags> = {
  usage: 'list',
  description: 'list released versions, and aliases with their last move',
  options: [FROM, TRUST],
  run: async ({ root, output }, _names, flags) => {
    const { listAliases, listVersions, readAlias } = await import('#release');
    const { openReader } = await import('../../compose/registry-place.ts');
    const { place, keys } = await openReader(root, flags);
    const versions = (await listVersions(place)).map(({ text }) => text);
    const names = [...(await listAliases(place)).keys()].sort();
    const aliases = await Promise.all(
      names.map(async (name) => (await readAlias(place, name, keys))!.record),
    );
    output.result(
      [
        ...(versions.length === 0 ? ['no releases'] : versions),
        ...aliases.map(
          ({ alias, to, from, by }) =>
            `${alias} -> ${to.version} (moved by ${by}${from === undefined ? '' : ` from ${from.version}, ${from.digest}`})`,
        ),
      ].join('\n'),
      { versions, aliases },
    );
    return 0;
  },
};

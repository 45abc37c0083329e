import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { KeyFlags, TrustFlags } from '../../compose/registry-place.ts';
import { FROM, KEY, TRUST } from '../../options.ts';

export interface PromoteFlags extends KeyFlags, TrustFlags {
  readonly from?: string;
  readonly to?: string;
}

/** `ccp release promote VERSION --to ALIAS`: moves an alias; no image is copied. */
export const promote: CommandDefinition<PromoteFlags> = {
  usage: 'promote <version>',
  description: 'move an alias like stable to a released version, by a signed record',
  options: [
    FROM,
    new Option(
      '--to <alias>',
      'alias to move: a word, or a series like 2026.1',
    ).makeOptionMandatory(),
    ...KEY,
    TRUST,
  ],
  examples: [
    'ccp release promote 2026.1.1 --to stable --from registry.example.org/ccp --key release.key',
  ],
  run: async ({ root, output }, [version = ''], flags) => {
    const { promoteRelease } = await import('#release');
    const { movedBy, openReader, requireSigner } = await import('../../compose/registry-place.ts');
    const signer = requireSigner(flags);
    const { place, keys } = await openReader(root, flags, signer);
    const alias = flags.to ?? '';
    const record = await promoteRelease({ place, alias, version, by: movedBy(), signer, keys });
    output.result(
      `${alias} -> ${version}${record.from === undefined ? '' : `, from ${record.from.version}`} (move ${record.number})`,
      record,
    );
    return 0;
  },
};

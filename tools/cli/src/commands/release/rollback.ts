import type { CommandDefinition } from '../../command.ts';
import type { KeyFlags, TrustFlags } from '../../compose/registry-place.ts';
import { FROM, KEY, TRUST } from '../../options.ts';

export interface RollbackFlags extends KeyFlags, TrustFlags {
  readonly from?: string;
}

/** `ccp release rollback ALIAS`: moves an alias back to where its last move came from. */
export const rollback: CommandDefinition<RollbackFlags> = {
  usage: 'rollback <alias>',
  description: 'move an alias back to the version before its last move, by a new signed record',
  options: [FROM, ...KEY, TRUST],
  examples: ['ccp release rollback stable --from registry.example.org/ccp --key release.key'],
  run: async ({ root, output }, [alias = ''], flags) => {
    const { rollBackAlias } = await import('#release');
    const { movedBy, openReader, requireSigner } = await import('../../compose/registry-place.ts');
    const signer = requireSigner(flags);
    const { place, keys } = await openReader(root, flags, signer);
    const record = await rollBackAlias({ place, alias, by: movedBy(), signer, keys });
    output.result(
      `${alias} -> ${record.to.version}, from ${record.from?.version} (move ${record.number})`,
      record,
    );
    return 0;
  },
};

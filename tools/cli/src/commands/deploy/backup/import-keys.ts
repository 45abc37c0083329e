import { Option } from 'commander';
import type { CommandDefinition } from '../../../command.ts';
import type { ClusterFlags } from '../../../compose/deploy/open-site.ts';
import type { KeyFlags } from '../../../compose/registry-place.ts';
import { CLUSTER, PASSPHRASE } from '../../../options.ts';

export interface ImportKeysFlags extends ClusterFlags, Omit<KeyFlags, 'key'> {
  readonly key: string;
}

/** `ccp deploy backup import-keys SITE FOLDER --key FILE`: makes the Secrets of exported keys. */
export const importKeysCommand: CommandDefinition<ImportKeysFlags> = {
  usage: 'import-keys <site> <folder>',
  description: 'create the Secrets of exported identity keys, before a lost site is applied',
  options: [
    new Option('--key <file>', 'private key of the export, in PKCS#8 form').makeOptionMandatory(),
    ...PASSPHRASE,
    ...CLUSTER,
  ],
  examples: [
    'ccp deploy backup import-keys example /srv/backups/nightly.20260102t021500z --key backup.key',
  ],
  run: async (context, [site = '', folder = ''], { key, ...flags }) => {
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { checkImported } = await import('../../../compose/deploy/import-backup.ts');
    const { importKeys } = await import('../../../compose/deploy/import-backup.ts');
    const { passphraseOf } = await import('../../../compose/registry-place.ts');
    return await withCluster(context, site, flags, async (running) => {
      await checkImported(context, site, folder);
      const secrets = await importKeys(running, folder, {
        file: key,
        passphrase: passphraseOf(flags),
      });
      context.output.result(
        secrets
          .map(({ name, outcome }) =>
            outcome === 'created'
              ? `Secret/${name} created`
              : `Secret/${name} exists and was not changed`,
          )
          .join('\n'),
        { secrets },
      );
      return 0;
    });
  },
};

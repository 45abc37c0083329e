import { join, relative } from 'node:path';
import { Option } from 'commander';
import type { CommandDefinition } from '../../../command.ts';
import type { ClusterFlags } from '../../../compose/deploy/open-site.ts';
import type { KeyFlags } from '../../../compose/registry-place.ts';
import { CLUSTER, PASSPHRASE } from '../../../options.ts';

export interface ExportFlags extends ClusterFlags, Omit<KeyFlags, 'key'> {
  readonly output: string;
  readonly name: string;
  readonly app: string;
  readonly publicKey?: string;
  readonly signKey?: string;
}

/** `ccp deploy backup export SITE -o FOLDER`: copies a backup out of the cluster. */
export const exportCommand: CommandDefinition<ExportFlags> = {
  usage: 'export <site>',
  description: 'copy a backup and the encrypted identity keys out of the cluster',
  options: [
    new Option(
      '-o, --output <folder>',
      'folder in which the backup gets a folder of its own',
    ).makeOptionMandatory(),
    new Option('--name <name>', 'name of the backup').default('latest'),
    new Option('--app <app>', 'app with the database').default('mariadb'),
    new Option(
      '--public-key <file>',
      'key on P-256 for the identity keys (default: deploy-specs/SITE/backup.pub)',
    ),
    new Option('--sign-key <file>', 'private key that signs the files of the backup'),
    ...PASSPHRASE,
    ...CLUSTER,
  ],
  examples: ['ccp deploy backup export example --output /srv/backups --name nightly'],
  run: async (context, [site = ''], { output, name, app, publicKey, signKey, ...flags }) => {
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { exportBackup } = await import('../../../compose/deploy/export-backup.ts');
    const { manifestFigures, manifestText } =
      await import('../../../compose/deploy/backup-folder.ts');
    const { signerOfFlags } = await import('../../../compose/registry-place.ts');
    const signer = signKey === undefined ? undefined : signerOfFlags({ ...flags, key: signKey });
    return await withCluster(context, site, flags, async (running) => {
      const { folder, manifest, keys } = await exportBackup(running, {
        app,
        backup: name,
        parent: output,
        signer,
        publicKey: publicKey ?? join(context.root, 'deploy-specs', site, 'backup.pub'),
      });
      const withKeys = keys.length === 0 ? '' : `, and the keys of ${keys.join(', ')}`;
      context.output.result(
        `${relative(process.cwd(), folder)}: ${manifestText(manifest)} of ${manifest.started}${withKeys}`,
        { folder, ...manifestFigures(manifest), keys },
      );
      return 0;
    });
  },
};

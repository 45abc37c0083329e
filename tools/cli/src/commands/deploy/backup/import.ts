import { Option } from 'commander';
import type { CommandDefinition } from '../../../command.ts';
import type { ClusterFlags } from '../../../compose/deploy/open-site.ts';
import { CLUSTER } from '../../../options.ts';

export interface ImportFlags extends ClusterFlags {
  readonly app: string;
}

/** `ccp deploy backup import SITE FOLDER`: copies an exported backup into the cluster. */
export const importCommand: CommandDefinition<ImportFlags> = {
  usage: 'import <site> <folder>',
  description: 'copy an exported backup to the claim of the site, for the action restore',
  options: [new Option('--app <app>', 'app with the database').default('mariadb'), ...CLUSTER],
  examples: ['ccp deploy backup import example /srv/backups/nightly.20260102t021500z'],
  run: async (context, [site = '', folder = ''], { app, ...flags }) => {
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { checkImported } = await import('../../../compose/deploy/import-backup.ts');
    const { importBackup } = await import('../../../compose/deploy/import-backup.ts');
    const { manifestFigures, manifestText } =
      await import('../../../compose/deploy/backup-folder.ts');
    return await withCluster(context, site, flags, async (running) => {
      await checkImported(context, site, folder);
      const { name, manifest } = await importBackup(running, app, folder);
      context.output.result(
        `${name}: ${manifestText(manifest)}; restore it: ccp deploy action run ${site} ${app} restore --param name=${name}`,
        { name, ...manifestFigures(manifest) },
      );
      return 0;
    });
  },
};

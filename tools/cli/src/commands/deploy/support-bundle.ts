import { Option } from 'commander';
import { relative } from 'node:path';
import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER } from '../../options.ts';

export interface SupportBundleFlags extends ClusterFlags {
  readonly output?: string;
}

/**
 * `ccp deploy support-bundle SITE`: writes one archive with everything for troubleshooting; reads
 * no Secret.
 */
export const supportBundle: CommandDefinition<SupportBundleFlags> = {
  usage: 'support-bundle <site>',
  description: 'write status, drift, objects, events and pod logs to one archive',
  options: [
    new Option('-o, --output <file>', 'archive to write (default: .ccp/support/SITE-TIME.tar.gz)'),
    ...CLUSTER,
  ],
  examples: [
    'ccp deploy support-bundle example',
    'ccp deploy support-bundle example --output support.tar.gz',
  ],
  run: async (context, [name = ''], { output: named, ...flags }) => {
    const { openStatus, supportFiles } = await import('#rollout');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { writeSupportBundle } = await import('../../compose/deploy/write-support-bundle.ts');
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      const open = await openStatus(cluster, site, engine.clock, {
        rules: conflictRules({}, site),
      });
      try {
        const files = await supportFiles(cluster, site, open);
        const file = await writeSupportBundle(files, {
          site: site.name,
          named,
          root: context.root,
        });
        context.output.result(
          `${counted(files.length, 'file')} written to ${named ?? relative(process.cwd(), file)}`,
          {
            file,
            files: files.map(({ path }) => path),
          },
        );
        return 0;
      } finally {
        await open.close();
      }
    });
  },
};

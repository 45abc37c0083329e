import { relative } from 'node:path';
import { counted } from '#core';
import { openStatus, supportFiles } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import { withCluster, type ClusterFlags } from '../../compose/deploy/open-site.ts';
import { writeBundle } from '../../compose/deploy/write-bundle.ts';

export interface BundleFlags extends ClusterFlags {
  readonly output?: string;
}

/**
 * `ccp deploy support-bundle SITE`: writes one archive with everything for troubleshooting; reads
 * no Secret.
 */
export async function supportBundle(
  context: CommandContext,
  [name = '']: readonly string[],
  { output: named, ...flags }: BundleFlags,
): Promise<number> {
  return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
    const open = await openStatus(cluster, site, engine.clock, { rules: conflictRules({}, site) });
    try {
      const files = await supportFiles(cluster, site, open);
      const file = await writeBundle(files, { site: site.name, named, root: context.root });
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
}

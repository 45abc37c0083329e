import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { openStatus, supportFiles } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { withCluster, type ClusterFlags } from './open-site.ts';

export interface BundleFlags extends ClusterFlags {
  readonly output?: string;
}

/** `ccp deploy support-bundle SITE`: one archive of all that helps to find a fault; no Secret is read for it. */
export async function supportBundle(context: CommandContext, [name = '']: readonly string[], { output: file = `${name}-support.tar.gz`, ...flags }: BundleFlags): Promise<number> {
  return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
    const open = await openStatus(cluster, site, engine.clock);
    try {
      const files = await supportFiles(cluster, site, open);
      const archive = pack();
      const written = pipeline(archive, createGzip(), createWriteStream(file, { mode: 0o600 }));
      for (const { path, text } of files) archive.entry({ name: `${name}-support/${path}` }, text);
      archive.finalize();
      await written;
      context.output.result(`${files.length} files written to ${file}`, { file, files: files.map(({ path }) => path) });
      return 0;
    } finally {
      await open.close();
    }
  });
}

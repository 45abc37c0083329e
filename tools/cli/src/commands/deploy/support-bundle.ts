import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { counted } from '#core';
import { openStatus, supportFiles } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { statePaths } from '../../state/paths.ts';
import { conflictRules } from './conflict-rules.ts';
import { withCluster, type ClusterFlags } from './open-site.ts';

export interface BundleFlags extends ClusterFlags {
  readonly output?: string;
}

/** `ccp deploy support-bundle SITE`: one archive of all that helps to find a fault; no Secret is read for it. */
export async function supportBundle(context: CommandContext, [name = '']: readonly string[], { output: named, ...flags }: BundleFlags): Promise<number> {
  return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
    const file = named ?? statePaths(context.root).support(`${site.name}-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`);
    mkdirSync(dirname(file), { recursive: true });
    const open = await openStatus(cluster, site, engine.clock, { rules: conflictRules({}, site) });
    try {
      const files = await supportFiles(cluster, site, open);
      const archive = pack();
      const written = pipeline(archive, createGzip(), createWriteStream(file, { mode: 0o600 }));
      for (const { path, text } of files) archive.entry({ name: `${name}-support/${path}` }, text);
      archive.finalize();
      await written;
      context.output.result(`${counted(files.length, 'file')} written to ${named ?? relative(process.cwd(), file)}`, {
        file,
        files: files.map(({ path }) => path),
      });
      return 0;
    } finally {
      await open.close();
    }
  });
}

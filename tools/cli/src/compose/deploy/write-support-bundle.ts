import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { SupportFile } from '#rollout';
import { writeNamed } from '../../state/named-file.ts';
import { statePaths } from '../../state/paths.ts';

/**
 * The site of the archive and its target: the file `named` on the command line, else a file in the
 * workspace at `root`.
 */
export interface BundleTarget {
  readonly site: string;
  readonly named?: string | undefined;
  readonly root: string;
}

/**
 * Writes the support files to one archive that only its owner can read; returns its path. Throws
 * the errors of `writeNamed`.
 */
export async function writeSupportBundle(
  files: readonly SupportFile[],
  { site, named, root }: BundleTarget,
): Promise<string> {
  const archive = pack();
  for (const { path, text } of files) archive.entry({ name: `${site}-support/${path}` }, text);
  archive.finalize();
  const bytes = await buffer(archive.pipe(createGzip()));
  const file =
    named ??
    statePaths(root).support(
      `${site}-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`,
    );
  if (named === undefined) mkdirSync(dirname(file), { recursive: true });
  writeNamed(file, bytes, { mode: 0o600 });
  return file;
}

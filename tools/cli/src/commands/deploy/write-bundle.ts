import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import type { SupportFile } from '#deploy';
import { writeNamed } from '../../named-file.ts';
import { statePaths } from '../../state/paths.ts';

/** Whose archive it is, and where it goes: to the file that the command line names, else to one of the workspace at `root`. */
export interface BundleTarget {
  readonly site: string;
  readonly named?: string | undefined;
  readonly root: string;
}

/** Writes what helps to find a fault to one archive, for its owner's eyes alone; the path of it. Raises what `writeNamed` raises. */
export async function writeBundle(files: readonly SupportFile[], { site, named, root }: BundleTarget): Promise<string> {
  const archive = pack();
  for (const { path, text } of files) archive.entry({ name: `${site}-support/${path}` }, text);
  archive.finalize();
  const bytes = await buffer(archive.pipe(createGzip()));
  const file = named ?? statePaths(root).support(`${site}-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.tar.gz`);
  if (named === undefined) mkdirSync(dirname(file), { recursive: true });
  writeNamed(file, bytes, { mode: 0o600 });
  return file;
}

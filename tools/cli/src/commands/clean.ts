import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Fingerprint } from '#core';
import { stopPrivateEngine } from '#engines';
import { openStore } from '#store';
import { parseImageSet } from '#release';
import { engineFolder } from '../compose-engines.ts';
import { openProject } from '../compose.ts';
import type { CommandContext } from '../program.ts';
import { readIfThere } from '../state/files.ts';

export interface CleanFlags {
  readonly all?: boolean;
  readonly engine?: boolean;
}

/**
 * `ccp clean`: keeps what the last image sets name and drops the rest of the store and old logs; `--all` drops the state folder,
 * `--engine` ends the private engine and drops its data.
 */
export async function clean({ root, output, flags }: CommandContext, _names: readonly string[], { all, engine }: CleanFlags): Promise<number> {
  const { paths, settings, workspace } = openProject(root, flags.series);
  if (engine === true) {
    const folder = engineFolder(settings);
    output.info((await stopPrivateEngine(folder)) ? 'the private engine was ended' : 'no private engine is running');
    rmSync(folder, { recursive: true, force: true });
  }
  if (!existsSync(paths.folder)) {
    output.result('nothing to clean', { freed: 0 });
    return 0;
  }
  const store = await openStore({ folder: paths.store });
  const keep = new Set<Fingerprint>();
  for (const { name } of workspace.series) {
    const text = all === true ? undefined : readIfThere(paths.imageSet(name));
    if (text !== undefined) for (const { fingerprint } of parseImageSet(text, paths.imageSet(name)).images) keep.add(fingerprint);
  }
  const freed = await store.collect(keep).finally(() => store.close());
  rmSync(join(paths.folder, 'logs'), { recursive: true, force: true });
  if (all === true) rmSync(paths.folder, { recursive: true, force: true });
  output.result(`${(freed / 1e6).toFixed(0)} MB freed, ${keep.size} images kept`, { freed, kept: keep.size });
  return 0;
}

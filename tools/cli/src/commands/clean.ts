import { Option } from 'commander';
import { existsSync } from 'node:fs';
import { CcpError, counted } from '#core';
import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';
import { megabytes } from '../report/text.ts';
import { statePaths } from '../state/paths.ts';

export interface CleanFlags {
  readonly all?: boolean;
  readonly buildCache?: boolean;
  readonly engine?: boolean;
}

/**
 * `ccp clean`: deletes stored images that are in no image set, old logs, and image names on running
 * engines, which can pull the images again. `--all` deletes the state folder, even a damaged one.
 * The private engine serves all workspaces of its user: only `--build-cache` deletes its build
 * cache, and only `--engine` stops it and deletes its data, unless another run uses it. With either
 * flag nothing else is deleted, except with `--all`. Reads no definitions.
 */
export const clean: CommandDefinition<CleanFlags> = {
  usage: 'clean',
  description:
    'delete stored images that are in no image set, all logs but those of the last run, and the names of stored images on engines',
  options: [
    new Option(
      '--all',
      'delete the whole state of the workspace: store, logs, records; locks and the cache of inputs stay',
    ),
    new Option(
      '--build-cache',
      'delete only the build cache of the private engine, which all workspaces share',
    ),
    new Option('--engine', 'only stop the private engine and delete its data'),
  ],
  examples: ['ccp clean', 'ccp clean --all'],
  run: async ({ root, output }, _names, { all, buildCache, engine }) => {
    const { isClusterRunning } = await import('#cluster');
    const { openMemo, requireWritable } = await import('#host');
    const { cleanEngine, dropState, dropUnnamed } = await import('../compose/clean.ts');
    const { engineFolder } = await import('../compose/engines.ts');
    const { forgetOnEngines } = await import('../compose/forget-on-engines.ts');
    const { readSettings } = await import('../compose/settings.ts');
    const paths = statePaths(root);
    if (all === true && isClusterRunning(paths.cluster))
      throw new CcpError({
        code: 'cluster-runs',
        message: 'the cluster of this workspace is running',
        hint: 'stop it with `ccp down`',
      });
    const settings = readSettings(root, openMemo(paths.memo));
    if (engine === true || buildCache === true) {
      const cleaned = await cleanEngine(engineFolder(settings), engine === true, output.info);
      if (all !== true) {
        output.result(cleaned.said, { freed: cleaned.freed });
        return EXIT.done;
      }
      output.info(cleaned.said);
    }
    if (!existsSync(paths.folder)) {
      output.result('nothing to clean', { freed: 0, kept: 0 });
      return EXIT.done;
    }
    requireWritable(
      paths.folder,
      'give this user write permission, or run the command as another user',
    );
    const forget = (addresses: readonly string[]) => forgetOnEngines(addresses, settings, output);
    const { freed, kept } =
      all === true ? await dropState(paths, forget) : await dropUnnamed(paths, forget);
    output.result(`${megabytes(freed)} freed, ${counted(kept, 'image')} kept`, { freed, kept });
    return EXIT.done;
  },
};

import { CcpError } from '#core';
import { openMemo } from '#host';
import type { ImageSet } from '#release';
import { statePaths, type StatePaths } from '../state/paths.ts';
import { lastImageSet, readImageSet } from './image-set.ts';
import { openProject } from './plan.ts';
import { readSettings, type Settings } from './settings.ts';

/** An image set of this workspace, with the store of its images. */
export interface SetToPublish {
  readonly set: ImageSet;
  readonly settings: Settings;
  readonly paths: StatePaths;
}

/** The set in `file`, or that of the last build. Throws `image-set-format` for a set of format 1. */
export function setToPublish(
  root: string,
  series: string | undefined,
  file: string | undefined,
): SetToPublish {
  const paths = statePaths(root);
  const set = file === undefined ? lastImageSet(openProject(root, series)) : readImageSet(file);
  if (set.format === 1)
    throw new CcpError({
      code: 'image-set-format',
      message: `the image set of ${set.series} has format 1, without app specs`,
      hint: `write it again: ccp build --series ${set.series}`,
    });
  return { set, settings: readSettings(root, openMemo(paths.memo)), paths };
}

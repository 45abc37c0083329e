import { CcpError } from '#core';
import { openMemo } from '#host';
import type { ImageSet } from '#release';
import { readStoreIndex } from '#store';
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

/**
 * The set in `file`, or that of the last build. Throws `image-set-format` for a set of format 1,
 * and `image-set-unbuilt` for images that are not in the store.
 */
export function setToPublish(
  root: string,
  series: string | undefined,
  file: string | undefined,
): SetToPublish {
  const paths = statePaths(root);
  const set =
    file === undefined
      ? lastImageSet(openProject(root, series), 'name an image set file')
      : readImageSet(file);
  if (set.format === 1)
    throw new CcpError({
      code: 'image-set-format',
      message: `the image set of ${set.series} has format 1, without app specs`,
      hint: `write it again: ccp build --series ${set.series}`,
    });
  checkStored(set, paths.store);
  return { set, settings: readSettings(root, openMemo(paths.memo)), paths };
}

/** A signature proves that this workspace built the images, so each one must be in the store. */
function checkStored({ series, images }: ImageSet, store: string): void {
  const { byFingerprint } = readStoreIndex(store);
  const others = images.flatMap(({ name, fingerprint, digest, contentKey }) => {
    const stored = byFingerprint.get(fingerprint);
    const isSame =
      stored?.image === name && stored.digest === digest && stored.contentKey === contentKey;
    return isSame ? [] : [name];
  });
  if (others.length === 0) return;
  throw new CcpError({
    code: 'image-set-unbuilt',
    message: `the image set of ${series} does not match the store of this workspace: ${others.join(', ')}`,
    hint: `build the images here: ccp build --series ${series}`,
  });
}

/** Throws `release-incomplete` if a set lacks images of its series. */
export function checkComplete(root: string, set: ImageSet): void {
  const names = new Set(set.images.map(({ name }) => name));
  const missing = openProject(root, set.series).graph.order.filter((name) => !names.has(name));
  if (missing.length === 0) return;
  throw new CcpError({
    code: 'release-incomplete',
    message: `the image set of ${set.series} lacks ${missing.join(', ')}`,
    hint: `build all images of the series: ccp build --series ${set.series}`,
  });
}

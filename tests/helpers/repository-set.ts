import { memoryMemo } from '#ports/testing';
import { imageSetText, parseImageSet } from '#release';
import { setAppSpecs } from '../../tools/cli/src/compose/set-app-specs.ts';
import { REPOSITORY } from './ccp.ts';
import { missingImageSet } from './missing-image-set.ts';

/** The text of a set of format 2 with these images and their app specs in this repository. */
export function repositorySet(names: readonly string[]): string {
  const set = parseImageSet(missingImageSet(names), 'set');
  const apps = setAppSpecs({ root: REPOSITORY, memo: memoryMemo() }, names);
  const images = set.images.map((entry) => ({
    ...entry,
    contentKey: entry.fingerprint,
    ...(apps.has(entry.name) ? { app: apps.get(entry.name)! } : {}),
  }));
  return imageSetText({ ...set, format: 2, images });
}

import type { ImageName, Series } from '#core';
import type { RecordedImage } from '#plan';
import { readIfThere, writeAtomically } from './files.ts';
import type { StatePaths } from './paths.ts';

/** Inputs of the last build of each image, for the reasons in later plans. */
export interface Records {
  get(image: ImageName): RecordedImage | undefined;
  put(image: ImageName, recorded: RecordedImage): void;
}

/**
 * Records of one series. An unreadable record is treated as missing: a plan then only shows "not
 * built yet".
 */
export function openRecords(paths: StatePaths, series: Series): Records {
  return {
    get: (image) => {
      try {
        const text = readIfThere(paths.record(series, image));
        const recorded = text === undefined ? undefined : (JSON.parse(text) as RecordedImage);
        return recorded?.record?.schema === 1 ? recorded : undefined;
      } catch {
        return undefined;
      }
    },
    put: (image, recorded) =>
      writeAtomically(paths.record(series, image), `${JSON.stringify(recorded)}\n`, {
        flush: false,
      }),
  };
}

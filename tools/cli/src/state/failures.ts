import { rmSync } from 'node:fs';
import type { Fingerprint, ImageName, Series } from '#core';
import { readIfThere, writeAtomically } from './files.ts';
import type { StatePaths } from './paths.ts';

/** The last failed build of an image. */
export interface Failure {
  /** Fingerprint of the failed build. */
  readonly fingerprint: Fingerprint;
  readonly message: string;
  /** Path of the log, relative to the repository; absent without a log. */
  readonly log?: string;
}

/** The last failure of each image whose last attempt failed, so that it can be explained later. */
export interface Failures {
  get(image: ImageName): Failure | undefined;
  put(image: ImageName, failure: Failure): void;
  remove(image: ImageName): void;
}

/** Failures of one series. One that cannot be read counts as absent: its log is there still. */
export function openFailures(paths: StatePaths, series: Series): Failures {
  return {
    get: (image) => {
      try {
        const failure = JSON.parse(
          readIfThere(paths.failure(series, image)) ?? '{}',
        ) as Partial<Failure>;
        return typeof failure.fingerprint === 'string' && typeof failure.message === 'string'
          ? (failure as Failure)
          : undefined;
      } catch {
        return undefined;
      }
    },
    put: (image, failure) =>
      writeAtomically(paths.failure(series, image), `${JSON.stringify(failure)}\n`, {
        flush: false,
      }),
    remove: (image) => rmSync(paths.failure(series, image), { force: true }),
  };
}

import { join } from 'node:path';
import type { ImageName, Series } from '#core';

/** Where a workspace keeps what it knows; everything below `.ccp` can be deleted at the price of work. */
export interface StatePaths {
  readonly folder: string;
  readonly memo: string;
  readonly store: string;
  readonly durations: string;
  readonly origin: string;
  readonly sets: string;
  /** The cluster of `ccp up`. */
  readonly cluster: string;
  readonly logFolder: string;
  /** Folder of one run's logs; `name` sorts by time. */
  logs(name: string): string;
  /** An archive of `ccp deploy support-bundle`. */
  support(name: string): string;
  record(series: Series, image: ImageName): string;
  /** How the last attempt at an image failed. */
  failure(series: Series, image: ImageName): string;
  /** What tests the stored images of a series have passed. */
  tests(series: Series): string;
  imageSet(series: Series): string;
}

/** The paths of the workspace at `root`. */
export function statePaths(root: string): StatePaths {
  const folder = join(root, '.ccp');
  return {
    folder,
    memo: join(folder, 'memo'),
    store: join(folder, 'store'),
    durations: join(folder, 'durations.json'),
    origin: join(folder, 'origin.json'),
    sets: join(folder, 'sets'),
    cluster: join(folder, 'cluster'),
    logFolder: join(folder, 'logs'),
    logs: (name) => join(folder, 'logs', name),
    support: (name) => join(folder, 'support', name),
    record: (series, image) => join(folder, 'records', series, `${image}.json`),
    failure: (series, image) => join(folder, 'failures', series, `${image}.json`),
    tests: (series) => join(folder, 'tests', `${series}.json`),
    imageSet: (series) => join(folder, 'sets', `${series}.json`),
  };
}

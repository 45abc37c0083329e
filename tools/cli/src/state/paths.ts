import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, type ImageName, type Series } from '#core';

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

/** The paths of the workspace at `root`. Raises `machine-state` where something else lies in the folder's place. */
export function statePaths(root: string): StatePaths {
  const folder = join(root, '.ccp');
  if (isTaken(folder)) {
    throw new CcpError({
      code: 'machine-state',
      message: `${folder} is not a folder`,
      hint: 'ccp keeps its state in a folder of that name: move what is there away',
    });
  }
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

/** True for a file, and for a link that leads to no folder. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true;
}

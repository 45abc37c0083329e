import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, type ImageName, type Series } from '#core';

/** Paths of the workspace's state below `.ccp`, which can be deleted: ccp creates it again. */
export interface StatePaths {
  readonly folder: string;
  readonly memo: string;
  readonly store: string;
  readonly durations: string;
  readonly sets: string;
  /** Folder of fingerprints by commit. */
  readonly commits: string;
  /** The cluster of `ccp up`. */
  readonly cluster: string;
  readonly logFolder: string;
  /** Folder of one run's logs; `name` sorts by time. */
  logs(name: string): string;
  /** An archive of `ccp deploy support-bundle`. */
  support(name: string): string;
  record(series: Series, image: ImageName): string;
  /** The last failed build of an image. */
  failure(series: Series, image: ImageName): string;
  /** Passed tests of the stored images of a series. */
  tests(series: Series): string;
  imageSet(series: Series): string;
}

/** The paths of the workspace at `root`. Throws `machine-state` if `.ccp` is not a folder. */
export function statePaths(root: string): StatePaths {
  const folder = join(root, '.ccp');
  if (isTaken(folder)) {
    throw new CcpError({
      code: 'machine-state',
      message: `${folder} is not a folder`,
      hint: 'ccp stores its state in a folder with this name: move the existing file away',
    });
  }
  return {
    folder,
    memo: join(folder, 'memo'),
    store: join(folder, 'store'),
    durations: join(folder, 'durations.json'),
    sets: join(folder, 'sets'),
    commits: join(folder, 'commits'),
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

/** True for a file, and for a link that does not point to a folder. */
function isTaken(path: string): boolean {
  return (
    lstatSync(path, { throwIfNoEntry: false }) !== undefined &&
    statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true
  );
}

import { dirname, join } from 'node:path';
import { removeAbandoned } from '#host';
import type { StatePaths } from './paths.ts';

/**
 * Removes partial files of killed runs next to state files and in the cache; returns their number.
 * The store cleans its own folder.
 */
export function removeLeftovers(paths: StatePaths, cache: string): number {
  const deep = [
    paths.sets,
    ...['records', 'failures', 'tests'].map((name) => join(paths.folder, name)),
  ];
  return (
    removeAbandoned(dirname(paths.memo)) +
    deep.reduce((sum, folder) => sum + removeAbandoned(folder, { deep: true }), 0) +
    removeAbandoned(join(cache, 'temporary'))
  );
}

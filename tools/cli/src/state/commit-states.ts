import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type ImageName } from '#core';
import type { ImageState, SeriesState } from '#plan';
import { readIfThere, writeAtomically } from './files.ts';
import type { StatePaths } from './paths.ts';

/** Number of files to keep. */
const KEPT = 24;

/** Fingerprints of commits that were computed before. */
export interface CommitStates {
  get(key: string): SeriesState | undefined;
  put(key: string, state: SeriesState): void;
}

/** Opens the folder of commit states. A missing or unreadable state is computed again. */
export function openCommitStates({ commits }: StatePaths): CommitStates {
  const pathOf = (key: string): string => join(commits, `${key}.json`);
  return {
    get: (key) => {
      try {
        return parseState(JSON.parse(readIfThere(pathOf(key)) ?? 'null'));
      } catch {
        return undefined;
      }
    },
    put: (key, { images, unknown }) => {
      const value = {
        format: 1,
        images: [...images].map(([image, { fingerprint, record, parents }]) => [
          image,
          { fingerprint, record, parents },
        ]),
        unknown: [...unknown],
      };
      try {
        writeAtomically(pathOf(key), `${JSON.stringify(value)}\n`, { flush: false });
        removeOldest(commits);
      } catch {
        // A full or read-only disk: the next run computes the state again.
      }
    },
  };
}

function parseState(value: unknown): SeriesState | undefined {
  if (!isRecord(value) || value['format'] !== 1) return undefined;
  return {
    images: new Map(value['images'] as [ImageName, ImageState][]),
    unknown: new Map(value['unknown'] as [ImageName, string][]),
  };
}

function removeOldest(folder: string): void {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, time: statSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of files.slice(KEPT)) rmSync(path, { force: true });
}

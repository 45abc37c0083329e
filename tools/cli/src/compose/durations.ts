import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  durationTable,
  estimateDurations,
  openCommitted,
  openDurations,
  writeCommitted,
  type DurationStore,
} from '#build';
import type { ImageName } from '#core';
import { lockPath } from '#locks';
import type { ImageDuration } from '../report/durations-text.ts';
import { PLATFORM } from './plan.ts';
import type { Project } from './project.ts';

/** The committed table, relative to the workspace. */
const TABLE = 'images/durations.json';

/**
 * Durations of the series: measured in this workspace, and committed in this workspace or in a
 * workspace that it overlays.
 */
export async function projectDurations(project: Project): Promise<DurationStore> {
  const { paths, workspace, graph, series } = project;
  const folders = [workspace.root, ...(workspace.bases ?? [])];
  const scope = scopeOf(project);
  const [store, committed] = await Promise.all([
    openDurations(paths.durations, scope),
    openCommitted(
      folders.map((folder) => join(folder, TABLE)),
      scope,
    ),
  ]);
  const lockBytes = (image: ImageName): number | undefined => {
    const definition = graph.images.get(image);
    if (definition === undefined) return undefined;
    return lstatSync(lockPath(definition, series.name), { throwIfNoEntry: false })?.size;
  };
  return { ...store, committed, lockBytes };
}

/** The estimates of the named images and their ancestors, the longest first. */
export async function imageDurations(
  project: Project,
  images: readonly ImageName[],
): Promise<readonly ImageDuration[]> {
  const known = estimateDurations(images, await projectDurations(project));
  return [...known]
    .map(([image, { seconds, from }]) => ({ image, seconds: rounded(seconds), from }))
    .sort((a, b) => b.seconds - a.seconds || (a.image < b.image ? -1 : 1));
}

/**
 * Writes the measured durations of the series into the committed table; returns its path and the
 * number of images in it: 0 if this workspace has measured none, which leaves the table unchanged.
 * Throws the errors of writing.
 */
export async function commitDurations(
  project: Project,
): Promise<{ readonly file: string; readonly images: number }> {
  const known = await projectDurations(project);
  if (!project.graph.order.some((image) => known.measured(image) !== undefined))
    return { file: TABLE, images: 0 };
  const table = durationTable(project.graph.order, known);
  await writeCommitted(join(project.root, TABLE), scopeOf(project), table);
  return { file: TABLE, images: Object.keys(table).length };
}

function scopeOf({ series }: Project): string {
  return `${series.name} ${PLATFORM}`;
}

function rounded(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}

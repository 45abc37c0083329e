import { relative } from 'node:path';
import { faultOf, type BuildFault, type BuildResult } from '#build';
import type { ImageStore } from '#ports';
import type { Output } from '../report/output.ts';
import { setChange, type SetChange } from '../report/set-change.ts';
import { earlierImageSet, imageSetOf, keepImageSet } from './image-set.ts';
import { keepOrWarn, keepRecords } from './keep-records.ts';
import { lockStatuses, planLocked } from './plan.ts';
import type { Project } from './project.ts';
import { withSchemas } from './set-schemas.ts';

/** The image set after a build. */
export interface RecordedSet {
  /**
   * Path of the image set's manifest; absent, with the old set kept, after a cancelled run or with
   * `setFault`.
   */
  readonly imageSet?: string;
  /** Images added to and missing from the set; with `imageSet`. */
  readonly set?: SetChange;
  /** Why the set could not be written after the run. */
  readonly setFault?: BuildFault;
}

/**
 * Writes the image set, except after a cancelled run. A failure to write it is part of the result:
 * it must not hide the outcomes of the build.
 */
export async function recordImageSet(
  project: Project,
  store: ImageStore,
  result: BuildResult,
  output: Output,
): Promise<RecordedSet> {
  if (result.cancelled) return {};
  return await writeImageSet(project, store, result, output).catch((thrown: unknown) => ({
    setFault: faultOf(thrown),
  }));
}

async function writeImageSet(
  project: Project,
  store: ImageStore,
  { outcomes }: BuildResult,
  output: Output,
): Promise<RecordedSet> {
  const plan = planLocked(project);
  const before = earlierImageSet(project);
  const set = await withSchemas(imageSetOf(project, plan, store), before, project.paths.store);
  const path = keepImageSet(project, set);
  // Plans compare with the image in the set. It can be older than the last built one: its files
  // were changed, built and changed back.
  const names = new Set(set.images.map(({ name }) => name));
  const images = plan.images.filter(({ image }) => names.has(image));
  keepOrWarn(output, () => keepRecords(project, { ...plan, images }));
  return {
    imageSet: relative(project.root, path),
    set: setChange({
      before,
      set,
      plan,
      outcomes,
      graph: project.graph,
      locks: lockStatuses(project),
    }),
  };
}

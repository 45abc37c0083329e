import { mapRecord } from '#core';
import { listAppSpecs } from '#definitions/deploy';
import { setAppSpec, type SetAppSpec } from '#release';
import type { Project } from './project.ts';

/** The app specs of these images as an image set keeps them; images without one are left out. */
export function setAppSpecs(
  { root, memo }: Pick<Project, 'root' | 'memo'>,
  images: readonly string[],
): ReadonlyMap<string, SetAppSpec> {
  return new Map(
    [...listAppSpecs(root, images, memo)].map(([name, { schema, files, read }]) => [
      name,
      setAppSpec(name, { schema, files: mapRecord(files, (_, path) => read(path)) }),
    ]),
  );
}

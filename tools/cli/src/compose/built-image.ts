import { CcpError, type Digest } from '#core';
import { hasReason, reasonText, type PlannedImage } from '#plan';
import type { CheckDepth } from '#store';
import type { CommandContext } from '../command.ts';
import { openProject, planProject } from './plan.ts';
import type { Project } from './project.ts';

/** A requested image whose current definition is built and in the store. */
export interface BuiltImage {
  readonly project: Project;
  readonly planned: PlannedImage & { readonly digest: Digest };
}

/**
 * `look` as in `planProject`. Throws `store-missing` if the image must be built first, and the
 * errors of planning.
 */
export async function builtImage(
  { root, flags }: Pick<CommandContext, 'root' | 'flags'>,
  name: string,
  look?: CheckDepth,
): Promise<BuiltImage> {
  const project = openProject(root, flags.series);
  const planned = planProject(project, [name], look).images.find(({ image }) => image === name);
  if (planned?.digest === undefined) {
    throw new CcpError({
      code: 'store-missing',
      message:
        planned !== undefined && hasReason(planned.reasons, 'damaged')
          ? `${name} is built, but ${reasonText({ kind: 'damaged' })}`
          : `${name} is not built from its current definition`,
      hint: `run \`ccp build ${name}\`, or \`ccp explain ${name}\` to see why`,
    });
  }
  return { project, planned: { ...planned, digest: planned.digest } };
}

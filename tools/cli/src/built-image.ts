import { CcpError, type Digest } from '#core';
import { DAMAGED, type PlannedImage } from '#plan';
import type { Look } from '#store';
import { openProject, planProject, type Project } from './compose.ts';
import type { CommandContext } from './program.ts';

/** An image that a command names and the store has as it is defined now. */
export interface BuiltImage {
  readonly project: Project;
  readonly planned: PlannedImage & { readonly digest: Digest };
}

/** `look` as in `planProject`. Raises `store-missing` where the image must be built first, and what planning it raises. */
export async function builtImage({ root, output, flags }: Pick<CommandContext, 'root' | 'output' | 'flags'>, name: string, look?: Look): Promise<BuiltImage> {
  const project = openProject(root, flags.series);
  const planned = (await planProject(project, [name], output.info, look)).images.find(({ image }) => image === name);
  if (planned?.digest === undefined) {
    throw new CcpError({
      code: 'store-missing',
      message: planned?.reasons.includes(DAMAGED) === true ? `${name} is built, but ${DAMAGED}` : `${name} is not built as it is defined now`,
      hint: `run \`ccp build ${name}\`, or \`ccp explain ${name}\` to see why`,
    });
  }
  return { project, planned: { ...planned, digest: planned.digest } };
}

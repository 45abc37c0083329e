import { buildGraph, renderTree } from '#graph';
import type { CommandContext } from '../command.ts';
import { openProject, selection } from '../compose/plan.ts';

/** `ccp graph`: the layers of images as a tree. */
export async function graph(
  { root, output, flags }: CommandContext,
  names: readonly string[],
): Promise<number> {
  const project = openProject(root, flags.series);
  const images = new Set(selection(project, names));
  const shown = buildGraph(
    {
      ...project.workspace,
      images: project.workspace.images.filter(({ name }) => images.has(name)),
    },
    project.series.name,
  );
  const edges = shown.order.map((image) => ({
    image,
    parents: shown.images.get(image)?.parents ?? {},
  }));
  project.memo.save();
  output.result(renderTree(shown).trimEnd(), { series: project.series.name, images: edges });
  return 0;
}

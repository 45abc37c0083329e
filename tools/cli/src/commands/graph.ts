import type { CommandDefinition } from '../command.ts';

/** `ccp graph`: the layers of images as a tree. */
export const graph: CommandDefinition = {
  usage: 'graph [images...]',
  description: 'show which images are based on which',
  examples: ['ccp graph', 'ccp graph keystone --json'],
  series: 'each',
  run: async ({ root, output, flags }, names) => {
    const { buildGraph, renderTree } = await import('#graph');
    const { openProject, selection } = await import('../compose/plan.ts');
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
  },
};

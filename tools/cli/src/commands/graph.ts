import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import { refuseFormatWithJson } from '../options.ts';

export interface GraphFlags {
  readonly format?: 'tree' | 'dot' | 'mermaid' | 'json';
}

/** `ccp graph`: the layers of images as a tree, as a diagram or as JSON. */
export const graph: CommandDefinition<GraphFlags> = {
  usage: 'graph [images...]',
  description: 'show which images are based on which',
  options: [
    new Option('--format <name>', 'output format (default: tree)').choices([
      'tree',
      'dot',
      'mermaid',
      'json',
    ]),
  ],
  examples: [
    'ccp graph',
    'ccp graph keystone --json',
    'ccp graph --format dot | dot -Tsvg > images.svg',
    'ccp graph --format mermaid',
  ],
  series: 'each',
  run: async ({ root, output, flags }, names, { format }) => {
    if (format !== 'json') refuseFormatWithJson(output, format);
    const { buildGraph, renderDot, renderMermaid, renderTree } = await import('#graph');
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
    const answer = {
      series: project.series.name,
      images: shown.order.map((image) => ({
        image,
        parents: shown.images.get(image)?.parents ?? {},
      })),
    };
    project.memo.save();
    const render = {
      tree: renderTree,
      dot: renderDot,
      mermaid: renderMermaid,
      json: () => JSON.stringify(answer, undefined, 2),
    }[format ?? 'tree'];
    output.result(render(shown).trimEnd(), answer, format === 'tree' ? undefined : 'verbatim');
    return 0;
  },
};

import { Option } from 'commander';
import { counted } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { SET, TRUST } from '../../options.ts';

export interface YamlFlags extends TrustFlags {
  readonly output?: string;
  readonly set?: string;
}

/**
 * `ccp export yaml SITE`: the objects of `ccp render SITE --gates` as files for kubectl, kustomize,
 * Argo CD and Flux.
 */
export const yaml: CommandDefinition<YamlFlags> = {
  usage: 'yaml <site>',
  description: 'write a folder of plain YAML for kubectl, kustomize, Argo CD and Flux',
  options: [
    new Option('-o, --output <folder>', 'new or empty folder (default: SITE-yaml)'),
    SET,
    TRUST,
  ],
  examples: ['ccp export yaml example', 'ccp export yaml example -o manifests'],
  run: async (context, [name = ''], { output: folder = `${name}-yaml`, ...set }) => {
    const { renderOffline } = await import('../../compose/deploy/gated-site.ts');
    const { yamlFiles, objectsOf } = await import('#site');
    const { writeNewFolder } = await import('../../state/new-folder.ts');
    const { input, rendered } = await renderOffline(context, name, { ...set, gates: true });
    const files = yamlFiles(rendered, input.site);
    writeNewFolder(folder, files);
    const objects = objectsOf(rendered).length;
    context.output.result(`${counted(objects, 'object')} of ${name} written to ${folder}`, {
      folder,
      objects,
      files: files.map(({ path }) => path),
    });
    return 0;
  },
};

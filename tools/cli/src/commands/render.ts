import { Option } from 'commander';
import { counted } from '#core';
import type { KubernetesObject } from '#ports';
import type { CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { SET, TRUST } from '../options.ts';

export interface RenderFlags extends TrustFlags {
  readonly output?: string;
  readonly set?: string;
  /** Whether pods wait for each other by themselves. */
  readonly gates?: boolean;
}

/**
 * `ccp render SITE`: the site's Kubernetes objects by digest, in the order they are applied. Pure
 * but for reading the files.
 */
export const render: CommandDefinition<RenderFlags> = {
  usage: 'render <site>',
  description: 'print the Kubernetes objects of a site in deploy-specs/',
  options: [
    new Option('-o, --output <file>', 'write the objects to a file'),
    new Option(
      '--gates',
      'add an init container to each pod that waits for earlier steps, for kubectl and other tools',
    ),
    SET,
    TRUST,
  ],
  examples: [
    'ccp render example',
    'ccp render example --gates',
    'ccp render example -o manifests.yaml',
  ],
  run: async (context, [name = ''], { output: file, gates = false, ...set }) => {
    const { renderOffline } = await import('../compose/deploy/gated-site.ts');
    const { objectsOf } = await import('#site');
    const { writeNamed } = await import('../state/named-file.ts');
    const { rendered } = await renderOffline(context, name, { ...set, gates });
    const { output } = context;
    const objects = objectsOf(rendered);
    if (file === undefined)
      output.result((await objectsText(objects)).trimEnd(), objects, 'verbatim');
    else {
      writeNamed(file, await objectsText(objects));
      output.result(`${counted(objects.length, 'object')} of ${name} written to ${file}`, {
        file,
        objects: objects.length,
      });
    }
    return 0;
  },
};

/**
 * Objects as a stream of YAML documents, with quotes as required by YAML 1.1, which kubectl reads.
 */
async function objectsText(objects: readonly KubernetesObject[]): Promise<string> {
  const { yamlText } = await import('#formats');
  return objects.map((object) => `---\n${yamlText(object)}`).join('');
}

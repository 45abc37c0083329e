import { Option } from 'commander';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, counted } from '#core';
import type { KubernetesObject } from '#ports';
import type { ChartFile } from '#site';
import type { CommandContext, CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { SET, TRUST } from '../options.ts';

export interface RenderFlags extends TrustFlags {
  readonly output?: string;
  /** Folder to write a Helm chart to. */
  readonly chart?: string;
  readonly set?: string;
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
    new Option('--chart <folder>', 'write the objects to a folder as a Helm chart'),
    SET,
    TRUST,
  ],
  examples: [
    'ccp render example',
    'ccp render example -o manifests.yaml',
    'ccp render example --chart chart',
  ],
  run: async ({ root, output, flags }, [name = ''], given) => {
    const { output: file, chart } = given;
    const { readSite } = await import('#definitions/deploy');
    const {
      bind,
      boundOrThrow,
      chartFiles,
      objectsOf,
      render: renderBound,
    } = await import('#site');
    const { withBundleSet } = await import('../compose/deploy/bundle-set.ts');
    const { siteInput } = await import('../compose/deploy/open-site.ts');
    const { writeNamed } = await import('../state/named-file.ts');
    const { set } = await withBundleSet({ root, output }, () => readSite(root, name), given, {
      load: false,
    });
    const input = siteInput(
      { root, output },
      () => {
        const site = readSite(root, name);
        if (flags.series !== undefined && flags.series !== site.series)
          throw new CcpError({
            code: 'usage',
            message: `the site ${name} uses series ${site.series}, not ${flags.series}`,
          });
        return site;
      },
      set === undefined ? {} : { set },
    );
    const rendered = renderBound(boundOrThrow(bind(input)));
    if (chart !== undefined) return writeChart(output, chart, chartFiles(rendered, input.site));
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

/** Writes the files of a chart to a new or empty folder. */
async function writeChart(
  output: CommandContext['output'],
  folder: string,
  files: readonly ChartFile[],
): Promise<number> {
  const { writeAtomically } = await import('../state/files.ts');
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CcpError({
      code: 'usage',
      message: `${folder} is not empty`,
      hint: 'use a new folder: old templates would remain in the chart',
    });
  for (const { path, text } of files) writeAtomically(join(folder, path), text);
  output.result(`a chart of ${counted(files.length - 1, 'object')} written to ${folder}`, {
    folder,
    files: files.map(({ path }) => path),
  });
  return 0;
}

/**
 * Objects as a stream of YAML documents, with quotes as required by YAML 1.1, which kubectl reads.
 */
async function objectsText(objects: readonly KubernetesObject[]): Promise<string> {
  const { stringify } = await import('yaml');
  return objects
    .map(
      (object) =>
        `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' })}`,
    )
    .join('');
}

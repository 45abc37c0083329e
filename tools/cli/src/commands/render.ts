import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CcpError, counted } from '#core';
import { readSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { chartFiles, layOutSite, renderSite, type ChartFile } from '#site';
import type { CommandContext } from '../command.ts';
import { siteInput } from '../compose/deploy/open-site.ts';
import { writeAtomically } from '../state/files.ts';
import { writeNamed } from '../state/named-file.ts';

export interface RenderFlags {
  readonly output?: string;
  /** Folder to write a Helm chart to. */
  readonly chart?: string;
  readonly set?: string;
}

/**
 * `ccp render SITE`: the site's Kubernetes objects by digest, in the order they are applied. Pure
 * but for reading the files.
 */
export async function render(
  { root, output, flags }: CommandContext,
  [name = '']: readonly string[],
  { output: file, chart, set }: RenderFlags,
): Promise<number> {
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
  if (chart !== undefined)
    return writeChart(output, chart, chartFiles(layOutSite(input), input.site));
  const objects = renderSite(input);
  if (file === undefined) output.result(objectsText(objects).trimEnd(), objects);
  else {
    writeNamed(file, objectsText(objects));
    output.result(`${counted(objects.length, 'object')} of ${name} written to ${file}`, {
      file,
      objects: objects.length,
    });
  }
  return 0;
}

/** Writes the files of a chart to a new or empty folder. */
function writeChart(
  output: CommandContext['output'],
  folder: string,
  files: readonly ChartFile[],
): number {
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
function objectsText(objects: readonly KubernetesObject[]): string {
  return objects
    .map(
      (object) =>
        `---\n${stringify(object, { aliasDuplicateObjects: false, lineWidth: 0, version: '1.1' })}`,
    )
    .join('');
}

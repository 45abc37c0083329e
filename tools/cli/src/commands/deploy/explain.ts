import { relative } from 'node:path';
import { formatPosition, omitUndefined } from '#core';
import { readAppSpecsOf, readSite } from '#definitions/deploy';
import { explainKey, explanationLines } from '#site';
import type { CommandContext } from '../../command.ts';
import type { SetFlags } from '../../compose/deploy/open-site.ts';
import { lastImageSet, readImageSet } from '../../compose/image-set.ts';
import { openProject } from '../../compose/plan.ts';

/**
 * `ccp deploy explain SITE KEY`: every layer that sets a value, by file and line; needs no cluster,
 * and an image set only for images.
 */
export async function explain(
  { root, output }: CommandContext,
  [name = '', key = '']: readonly string[],
  { set }: SetFlags,
): Promise<number> {
  const site = readSite(root, name);
  const ofImages = set !== undefined || key.split('.')[1] === 'image';
  const imageSet = ofImages ? setOf(root, site.series, set) : undefined;
  const explanation = explainKey(
    { site, appSpecs: readAppSpecsOf(root, site), ...omitUndefined({ imageSet }) },
    key,
  );
  output.result(explanationLines(explanation, formatPosition).join('\n'), explanation);
  return 0;
}

function setOf(root: string, series: string, file: string | undefined) {
  if (file !== undefined) return { file, images: readImageSet(file).images };
  const project = openProject(root, series);
  return {
    file: relative(root, project.paths.imageSet(project.series.name)),
    images: lastImageSet(project).images,
  };
}

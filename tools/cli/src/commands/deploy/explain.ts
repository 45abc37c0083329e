import { CcpError, formatPosition } from '#core';
import { readSite } from '#definitions/deploy';
import { explainKey, explanationLines } from '#site';
import type { CommandContext } from '../../command.ts';
import type { SetFlags } from '../../compose/deploy/open-site.ts';
import {
  namedImageSet,
  siteAppSpecs,
  type NamedImageSet,
} from '../../compose/deploy/site-app-specs.ts';

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
  const named = explainedSet(root, site.series, set, ofImages);
  const explanation = explainKey(
    {
      site,
      appSpecs: siteAppSpecs({ root, output }, site, named),
      ...(named === undefined || !ofImages
        ? {}
        : { imageSet: { file: named.file, images: named.set.images } }),
    },
    key,
  );
  output.result(explanationLines(explanation, formatPosition).join('\n'), explanation);
  return 0;
}

/** The image set of the command; undefined if the key needs none and none can be read. */
function explainedSet(
  root: string,
  series: string,
  file: string | undefined,
  isNeeded: boolean,
): NamedImageSet | undefined {
  try {
    return namedImageSet(root, series, file);
  } catch (thrown) {
    if (!isNeeded && file === undefined && thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}

import { CcpError, formatPosition } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { SetFlags } from '../../compose/deploy/open-site.ts';
import type { NamedImageSet } from '../../compose/deploy/site-app-specs.ts';
import { SET } from '../../options.ts';

/**
 * `ccp deploy explain SITE KEY`: every layer that sets a value, by file and line; needs no cluster,
 * and an image set only for images.
 */
export const explain: CommandDefinition<SetFlags> = {
  usage: 'explain <site> <key>',
  description:
    'show each line of a file that sets a value, like keystone.replicas.api; * marks the value in effect',
  options: [SET],
  examples: ['ccp deploy explain example keystone.replicas.api'],
  run: async ({ root, output }, [name = '', key = ''], { set }) => {
    const { readSite } = await import('#definitions/deploy');
    const { explainKey, explanationLines } = await import('#site');
    const { siteAppSpecs } = await import('../../compose/deploy/site-app-specs.ts');
    const site = readSite(root, name);
    const ofImages = set !== undefined || key.split('.')[1] === 'image';
    const named = await explainedSet(root, site.series, set, ofImages);
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
    const lines = explanationLines(explanation, formatPosition);
    const isMarked = lines.some((line) => line.trimStart().startsWith('*'));
    output.result(
      [...lines, ...(isMarked ? ['', '* marks the value in effect'] : [])].join('\n'),
      explanation,
    );
    return 0;
  },
};

/** The image set of the command; undefined if the key needs none and none can be read. */
async function explainedSet(
  root: string,
  series: string,
  file: string | undefined,
  isNeeded: boolean,
): Promise<NamedImageSet | undefined> {
  const { namedImageSet } = await import('../../compose/deploy/site-app-specs.ts');
  try {
    return namedImageSet(root, series, file);
  } catch (thrown) {
    if (!isNeeded && file === undefined && thrown instanceof CcpError) return undefined;
    throw thrown;
  }
}

import { relative } from 'node:path';
import { counted } from '#core';
import type { CommandDefinition } from '../command.ts';

/**
 * `ccp diff-image A B`: the files and configuration that differ between two images. Exits with 1 if
 * the images differ.
 */
export const diffImage: CommandDefinition = {
  usage: 'diff-image <first> <second>',
  description: 'show the files and bytes that differ between two images (exit 1 if they differ)',
  examples: [
    'ccp diff-image keystone@sha256:DIGEST keystone',
    'ccp diff-image oci:../other/.ccp/store@sha256:DIGEST keystone',
  ],
  run: async (context, [first = '', second = '']) => {
    const { compareImages } = await import('#store');
    const { differenceLines } = await import('../report/image-difference.ts');
    const { storedImage } = await import('../compose/stored-image.ts');
    const images = [await storedImage(context, first), await storedImage(context, second)] as const;
    const difference = await compareImages(...images);
    const equal = images[0].digest === images[1].digest;
    const paths = difference.layers.reduce((sum, { members }) => sum + members.length, 0);
    const lines = [
      ...images.map(({ folder, digest }) => `${relative(context.root, folder)}@${digest}`),
      ...differenceLines(difference),
      equal
        ? 'the images are equal'
        : `${counted(paths, 'path')} in ${counted(difference.layers.length, 'layer')} and ${counted(difference.config.length, 'field')} of the configuration differ`,
    ];
    context.output.result(lines.join('\n'), { equal, images, ...difference });
    return equal ? 0 : 1;
  },
};

import type { SiteInput } from '../../model/types.ts';
import type { ChartValue } from './values-text.ts';

/** Name of the template of an image's reference. */
export const SET_IMAGE = 'ccp.image';

/** The key of an image's token. */
export const imageKey = (name: string): string => `image:${name}`;

const LINE = { type: 'string', pattern: '^\\S*$' };

/** How the values of charts name images. */
export interface ImageStyle {
  values(names: readonly string[], input: SiteInput): readonly ChartValue[];
  /** The expression of an image's reference, without braces. */
  expression(name: string): string;
}

/** Digests of the image set below `global`; references in `tags` replace them. */
export const BY_DIGEST: ImageStyle = {
  values: imageValues,
  expression: (name) => `include "${SET_IMAGE}" (list . "${name}")`,
};

/** `images` of values.yaml: digests of the image set, and references that replace them. */
function imageValues(
  names: readonly string[],
  { site, imageSet }: SiteInput,
): readonly ChartValue[] {
  if (names.length === 0) return [];
  const value = (
    key: string,
    description: string,
    content: unknown,
    schema: object,
  ): ChartValue => ({ path: ['global', 'images', key], value: content, description, schema });
  const external = (name: string): string | undefined => site.external?.[name]?.reference;
  const digests = imageSet.images
    .filter(({ name }) => names.includes(name) && external(name) === undefined)
    .map(({ name, digest }): [string, string] => [name, digest])
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const tags = names.flatMap((name) => {
    const reference = external(name);
    return reference === undefined ? [] : [[name, reference]];
  });
  return [
    value('registry', 'Registry and path of the images below.', site.registry, LINE),
    value('digests', 'Digests of the image set.', Object.fromEntries(digests), {
      type: 'object',
      additionalProperties: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    }),
    value(
      'tags',
      'Whole references that replace those by digest: NAME: registry.example.org/NAME:TAG.',
      Object.fromEntries(tags),
      { type: 'object', additionalProperties: LINE },
    ),
  ];
}

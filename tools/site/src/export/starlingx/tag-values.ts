import { CcpError, collectErrors } from '#core';
import type { SiteInput } from '../../model/types.ts';
import type { ImageStyle } from '../chart/image-values.ts';
import type { ChartValue } from '../chart/values-text.ts';

/** `images.tags.NAME`: StarlingX finds images there, pulls them by tag and pushes them again. */
export const BY_TAG: ImageStyle = {
  values: (names, input) =>
    collectErrors(names.map((name) => () => tagReference(name, input))).map(
      (value, index): ChartValue => ({
        path: ['images', 'tags', names[index]!],
        value,
        description: '',
        schema: { type: 'string', pattern: '^\\S+:[^\\s/]+$' },
      }),
    ),
  expression: (name) => `index .Values "images" "tags" "${name}"`,
};

/** `REGISTRY/NAME:VERSION`. Throws `application-invalid` for an external image. */
function tagReference(name: string, { site, imageSet }: SiteInput): string {
  const external = site.external?.[name];
  if (external !== undefined)
    throw new CcpError({
      code: 'application-invalid',
      message: `StarlingX pulls images by tag, but the external image "${name}" has a digest: ${external.reference}`,
      at: site.position(['external', name, 'reference']),
      hint: 'build the image with ccp and remove it from `external` of the site',
    });
  const { version } = imageSet.images.find((image) => image.name === name)!;
  return `${site.registry}/${name}:${version}`;
}

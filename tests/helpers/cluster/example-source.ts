import { digestOf } from '#core';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import type { SiteSource } from '#operator';
import { renderChecked } from '#site/testing';
import { REPOSITORY } from '../ccp.ts';
import { EXAMPLE_IMAGES } from '../example-workspace.ts';
import { crashing } from './crashing-site.ts';

/** Digests of two sets of `exampleSource`. */
export const [GOOD, BROKEN] = [digestOf('good'), digestOf('broken')];

/** Sets by digest, whose keystone has its own image; the broken one crashes. */
export const exampleSource: SiteSource = async ({ name, namespace, set, site }) => {
  const read = parseSite('text' in site ? site.text : '', 'site.yaml', name);
  const images = EXAMPLE_IMAGES.map((image) => ({
    name: image,
    digest: image === 'keystone' ? digestOf(set.digest) : digestOf(image),
  }));
  const rendered = renderChecked({
    site: read,
    appSpecs: readAppSpecs(REPOSITORY),
    imageSet: { series: read.series, images } as never,
  });
  return {
    name,
    namespace,
    rules: [],
    rendered: set.digest === BROKEN ? crashing(rendered, 'Deployment/keystone-api') : rendered,
  };
};

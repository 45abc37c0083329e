import { CcpError } from '#core';
import type { SiteInput } from '../model/types.ts';

/** Image with the program `gate`. */
const GATE_IMAGE = 'gate';

/** Reference of the image of gates. Throws `image-missing`. */
export function gateImage({ site, imageSet }: SiteInput): string {
  const external = site.external?.[GATE_IMAGE]?.reference;
  if (external !== undefined) return external;
  const built = imageSet.images.find(({ name }) => name === GATE_IMAGE);
  if (built !== undefined) return `${site.registry}/${GATE_IMAGE}@${built.digest}`;
  throw new CcpError({
    code: 'image-missing',
    message: `gates need the image "${GATE_IMAGE}", which the image set does not have`,
    hint: `build it: ccp build ${GATE_IMAGE}; or name it in external of the site`,
    at: site.position(['apps']),
  });
}

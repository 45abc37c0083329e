import { checkSetContent, trustedSet, type ImageSet, type Place, type PublicKey } from '#release';
import { textOf } from './fault-parts.ts';

/** Names of a place with wrong or missing content; a set may be missing, but not be incomplete. */
export async function wrongNames(
  place: Place,
  set: ImageSet,
  keys: readonly PublicKey[],
): Promise<readonly string[]> {
  const { registry, prefix } = place;
  const wrong: string[] = [];
  for (const { name, version, digest } of set.images) {
    const tagged = await registry.manifestDigest(`${prefix}/${name}`, version);
    if (tagged === undefined) continue;
    if (tagged !== digest) wrong.push(`${name} is ${tagged}`);
    await checkSetContent(place, {
      digest,
      set: { ...set, images: set.images.filter((entry) => entry.name === name) },
    }).catch((thrown: unknown) => {
      const lost = textOf(thrown)
        .split('\n')
        .filter((line) => line.includes(`image ${name} `));
      wrong.push(...lost);
    });
  }
  for (const tag of await registry.tags(`${prefix}/ccp.sets`)) {
    if (/^(?:sha256|creating|claim|accepted|inputs)-/.test(tag)) continue;
    const found = await trustedSet(place, tag, keys);
    await checkSetContent(place, found).catch((thrown: unknown) => wrong.push(textOf(thrown)));
  }
  return wrong;
}

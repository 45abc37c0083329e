import type { SiteInput } from '../../model/types.ts';
import type { Place } from './find-places.ts';
import type { SymbolicObjects } from './symbols.ts';

/** The places of each image's reference by the name of the image. */
export function findImages(
  objects: SymbolicObjects['objects'],
  { site, imageSet }: SiteInput,
): ReadonlyMap<string, readonly Place[]> {
  const references = new Map([
    ...imageSet.images.map(({ name, digest }): [string, string] => [
      `${site.registry}/${name}@${digest}`,
      name,
    ]),
    ...Object.entries(site.external ?? {}).map(([name, { reference }]): [string, string] => [
      reference,
      name,
    ]),
  ]);
  const found = new Map<string, Place[]>();
  const visit = (object: string, path: Place['path'], value: unknown): void => {
    if (typeof value === 'string') {
      const name = references.get(value);
      if (name !== undefined) found.set(name, [...(found.get(name) ?? []), { object, path }]);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value))
      visit(object, [...path, Array.isArray(value) ? Number(key) : key], member);
  };
  for (const [key, object] of objects) visit(key, [], object);
  return found;
}

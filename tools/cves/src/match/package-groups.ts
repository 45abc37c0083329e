import type { FoundIn, ImagePackage, ImagePackages, PackageKind } from '../types.ts';

/** Equal packages of all images. */
export interface PackageGroup {
  readonly kind: PackageKind;
  /** For Debian, name and version of the source package. */
  readonly name: string;
  readonly version: string;
  readonly suite?: string;
  /** Packages by image; a Debian source can have several packages. */
  readonly images: readonly (FoundIn & { readonly packages: readonly ImagePackage[] })[];
}

/** Groups the packages of images by source package and version, sorted. */
export function packageGroups(images: readonly ImagePackages[]): readonly PackageGroup[] {
  const groups = new Map<string, Omit<PackageGroup, 'images'>>();
  const found = new Map<string, Map<ImagePackages, ImagePackage[]>>();
  for (const image of images)
    for (const each of image.packages) {
      const { name, version } = each.source ?? each;
      const { kind, suite } = each;
      const key = [kind, name, version, suite ?? ''].join(' ');
      groups.set(key, { kind, name, version, ...(suite === undefined ? {} : { suite }) });
      const byImage = found.get(key) ?? new Map<ImagePackages, ImagePackage[]>();
      found.set(key, byImage);
      byImage.set(image, [...(byImage.get(image) ?? []), each]);
    }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, group]) => ({
      ...group,
      images: [...found.get(key)!]
        .map(([{ image, digest }, packages]) => ({ image, digest, packages }))
        .toSorted((a, b) => (a.image < b.image ? -1 : 1)),
    }));
}

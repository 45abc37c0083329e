import { codeOf, messageOf } from '#core';
import type { CveDifference } from '#cves';
import {
  diffPackages,
  diffSets,
  previousRelease,
  trustedRelease,
  type Changelog,
  type ImageSet,
  type PackageChange,
  type PackagesByImage,
  type Place,
  type PublicKey,
  listVersions,
} from '#release';
import { readPackages, publishedSet } from './package-source.ts';
import { readDecisions, scanImages, type CveFlags } from './scan.ts';

/**
 * The changelog of a version whose set is published, or the reason why the release before it cannot
 * be compared.
 */
export async function changelogOf(
  place: Place,
  version: string,
  set: ImageSet,
  keys: readonly PublicKey[],
): Promise<Changelog | string> {
  const before = previousRelease(version, await listVersions(place));
  if (before === undefined) return { version, images: [], packages: [] };
  try {
    const { set: old, digest } = await trustedRelease(place, before.text, keys);
    return {
      version,
      previous: { version: before.text, digest },
      images: diffSets(old, set),
      packages: await changedPackages(place, old, set),
    };
  } catch (thrown) {
    if (['untrusted', 'set-missing', 'set-incomplete'].includes(codeOf(thrown) ?? ''))
      return messageOf(thrown);
    throw thrown;
  }
}

/** The changed packages of images that differ, from their package lists. */
export async function changedPackages(
  place: Place,
  before: ImageSet,
  after: ImageSet,
): Promise<readonly PackageChange[]> {
  const changed = new Set(diffSets(before, after).map(({ image }) => image));
  const [old, now] = await Promise.all(
    [before, after].map((set) => packagesOf(place, set, (image) => changed.has(image))),
  );
  // An image without a package list in one set would seem to lose or gain all packages.
  const isListed = (set: ImageSet, image: string): boolean =>
    set.images.find(({ name }) => name === image)?.statements !== undefined;
  const isComparable = (image: string): boolean =>
    [before, after].every(
      (set) => isListed(set, image) || !set.images.some(({ name }) => name === image),
    );
  const comparable = (packages: PackagesByImage): PackagesByImage =>
    new Map([...packages].filter(([image]) => isComparable(image)));
  return diffPackages(comparable(old!), comparable(now!));
}

async function packagesOf(
  place: Place,
  set: ImageSet,
  isWanted: (image: string) => boolean,
): Promise<PackagesByImage> {
  const entries = set.images.filter(
    ({ name, statements }) => statements !== undefined && isWanted(name),
  );
  const { images } = await readPackages(publishedSet(place, set), entries);
  return new Map(images.map(({ image, packages }) => [image, packages]));
}

/**
 * The vulnerabilities that a set closed and opened, of its shipped images, and the packages that
 * were not checked in one of both sets.
 */
export async function changedCves(
  place: Place,
  sets: readonly [before: ImageSet, after: ImageSet],
  flags: CveFlags,
  today: string,
): Promise<{ readonly cves: CveDifference; readonly unchecked: readonly string[] }> {
  const { diffFindings } = await import('#cves');
  const { readCveData } = await import('./cve-data.ts');
  const decisions = readDecisions(flags);
  const read = await Promise.all(
    sets.map((set) => {
      const entries = set.images.filter(({ shipped }) => shipped);
      return readPackages(publishedSet(place, set), entries);
    }),
  );
  const data = readCveData(
    flags,
    read.flatMap(({ images }) => images),
  );
  const [before, after] = read.map((each) => scanImages(each, data, decisions, today));
  return {
    cves: diffFindings(before!.findings, after!.findings),
    unchecked: [...new Set([...before!.unchecked, ...after!.unchecked])],
  };
}

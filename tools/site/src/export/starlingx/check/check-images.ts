import type { CheckedRelease } from './check-manifests.ts';
import { hiddenImages, imageReferences, imageValues, mergeValues } from './find-value-images.ts';
import type { Findings } from './findings.ts';

const HINT = 'write `images: { tags: { NAME: REGISTRY/NAME:TAG } }` in the values';

/** The rules of images: StarlingX must find at least one, and every one must have a tag. */
export function checkImages(releases: readonly CheckedRelease[], found: Findings): void {
  const images = releases.flatMap((release) => {
    const { name, path, chart, staticValues } = release;
    // It looks in the folder of the release's name, else in that of the archive without X.Y.Z.
    const folders = chart === undefined ? [] : [name, unversioned(chart.name, chart.version)];
    const isRead = chart !== undefined && folders.includes(chart.folder);
    if (chart !== undefined && !isRead)
      found.error(
        'images-folder',
        path,
        `StarlingX does not find the values of the chart ${chart.name} ${chart.version}: its folder is not ${folders.join(' or ')}`,
        'use a version of three numbers, or the name of the chart for the release',
      );
    const all = mergeValues(isRead ? imageValues(chart.values) : {}, imageValues(staticValues));
    for (const hidden of new Set([
      ...hiddenImages(chart?.values ?? {}),
      ...hiddenImages(staticValues),
    ]))
      found.warn('images-hidden', path, `StarlingX does not find the image in ${hidden}`, HINT);
    return imageReferences(all).map((reference) => ({ reference, path }));
  });
  if (images.length === 0)
    found.error('images', '', 'no chart has an image that StarlingX finds', HINT);
  for (const { reference, path } of new Map(images.map((each) => [each.reference, each])).values())
    if (reference.includes('@') || !/:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(reference))
      found.error(
        'images-tag',
        path,
        `${reference} is not REPOSITORY:TAG`,
        'StarlingX gives tags to the images that it pulls, so it refuses digests: use a tag',
      );
}

function unversioned(name: string, version: string): string {
  return `${name}-${version}`.replace(/-(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)/, '');
}

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, counted, fileFault, isRecord, parseDigest, type Digest } from '#core';
import { readGiven } from '#host';
import { loadImages, mirrorRelease, type ImageSet } from '#release';
import { openContent } from '#store';
import type { CommandContext } from '../../command.ts';
import { statePaths } from '../../state/paths.ts';
import { openPlace, readTrustedKeys, type TrustFlags } from '../registry-place.ts';
import { bundledRelease, copyToStore, placedImages, UP_CONTEXT } from '../deploy/bundle-set.ts';
import type { RenderedApplication } from './render-application.ts';

/**
 * Loads images into the registry of an application's site: those of an OCI layout, as
 * `ccp export tarball --images` writes it, or of a bundle. The cluster of `ccp up` gets them
 * through the store. Throws `application-images` if the path has none of the site's images, and
 * the errors of the registry or the store.
 */
export async function loadApplicationImages(
  { root, output }: Pick<CommandContext, 'root' | 'output'>,
  { input: { site, imageSet } }: Pick<RenderedApplication, 'input'>,
  path: string,
  { context, ...trust }: TrustFlags & { readonly context?: string },
): Promise<void> {
  const isUp = context === UP_CONTEXT;
  const { store } = statePaths(root);
  const say = (number: number): void =>
    output.info(
      `${counted(number, 'image')} of ${path} loaded into ${isUp ? 'the store' : site.registry}`,
    );
  if (!isFolder(path)) {
    const keys = readTrustedKeys(root, trust);
    const { place, release } = await bundledRelease(path, keys);
    if (isUp) return say(await copyToStore(placedImages(place), release.set, store));
    const to = await openPlace(site.registry, '--to');
    await mirrorRelease({ from: place, to, release, keys });
    return say(release.set.images.length);
  }
  const digests = digestsIn(path);
  const images = imageSet.images.filter(({ digest }) => digests.has(digest));
  if (images.length === 0)
    throw new CcpError({
      code: 'application-images',
      message: `${path} has none of the images of ${site.name}`,
      hint: 'use the folder that `ccp export tarball --images` wrote with this tarball',
    });
  const content = await openContent(path);
  if (isUp) {
    const set: ImageSet = { ...imageSet, images };
    const bytes = {
      manifest: async ({ digest }: { readonly digest: Digest }) => content.document(digest),
      blob: async (_: unknown, { digest }: { readonly digest: Digest }) => content.blob(digest),
    };
    return say(await copyToStore(bytes, set, store));
  }
  await loadImages(await openPlace(site.registry, '--to'), content, images);
  return say(images.length);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch (thrown) {
    throw fileFault(thrown, 'read', path);
  }
}

/** Digests of the manifests in an OCI layout. */
function digestsIn(folder: string): ReadonlySet<Digest> {
  const file = join(folder, 'index.json');
  const invalid = (cause?: unknown): CcpError =>
    new CcpError({
      code: 'application-images',
      message: `${folder} is not an OCI layout`,
      hint: 'use a folder of `ccp export tarball --images`, or a bundle',
      cause,
    });
  try {
    const index: unknown = JSON.parse(readGiven(file).toString());
    const manifests = isRecord(index) ? index['manifests'] : undefined;
    if (!Array.isArray(manifests)) throw invalid();
    return new Set(
      manifests.map((each: unknown) => parseDigest(String(isRecord(each) ? each['digest'] : ''))),
    );
  } catch (thrown) {
    throw thrown instanceof CcpError && thrown.code === 'application-images'
      ? thrown
      : invalid(thrown);
  }
}

import { createWriteStream } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { canonicalJson, CcpError, fileFault, hexOf, isDigest, type Digest, type Json } from '#core';
import type { ImageSet } from '#release';
import type { SiteInput } from '#site';
import { openContent } from '#store';
import { requireEmpty } from '../../state/new-folder.ts';

/** An image to load: its name, digest, and the reference that charts have. */
export interface ImageToLoad {
  readonly name: string;
  readonly digest: Digest;
  readonly reference: string;
}

/** The images of a set that the charts of an application name. */
export function imagesToLoad(
  { site, imageSet }: SiteInput & { readonly imageSet: ImageSet },
  references: ReadonlySet<string>,
): readonly ImageToLoad[] {
  return imageSet.images
    .map(({ name, digest, version }) => ({
      name,
      digest,
      reference: `${site.registry}/${name}:${version}`,
    }))
    .filter(({ reference }) => references.has(reference));
}

/**
 * Writes a folder with an OCI layout of images from the store at `store`, and a script that loads
 * them into a registry. Throws `store-corrupt` for images that are missing or damaged.
 */
export async function writeImageLayout(
  folder: string,
  images: readonly ImageToLoad[],
  store: string,
): Promise<void> {
  requireEmpty(folder, 'use a new folder for the images, or remove it');
  const partial = `${folder}.partial-${process.pid}`;
  try {
    await rm(partial, { recursive: true, force: true });
    // Not with its parents, since the path may be mistyped.
    await mkdir(partial);
    const blobs = join(partial, 'blobs', 'sha256');
    await mkdir(blobs, { recursive: true });
    const content = await openContent(store);
    const manifests: Json[] = [];
    const written = new Set<Digest>();
    for (const { name, digest } of images) {
      const bytes = content.document(digest);
      await writeFile(join(blobs, hexOf(digest)), bytes);
      for (const blob of partsOf(bytes, name)) {
        // Images share the layers of their bases.
        if (written.has(blob)) continue;
        await pipeline(content.blob(blob), createWriteStream(join(blobs, hexOf(blob))));
        written.add(blob);
      }
      manifests.push({
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest,
        size: bytes.length,
        annotations: { 'org.opencontainers.image.ref.name': name },
      });
    }
    await writeFile(join(partial, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
    await writeFile(join(partial, 'index.json'), canonicalJson({ schemaVersion: 2, manifests }));
    const script = join(partial, 'load-images.sh');
    await writeFile(script, loadScript(images));
    await chmod(script, 0o755);
    await rename(partial, folder);
  } catch (thrown) {
    await rm(partial, { recursive: true, force: true });
    throw fileFault(thrown, 'write', folder);
  }
}

function partsOf(manifest: Uint8Array, name: string): readonly Digest[] {
  const { config, layers } = JSON.parse(Buffer.from(manifest).toString('utf8')) as {
    readonly config: { readonly digest: string };
    readonly layers: readonly { readonly digest: string }[];
  };
  return [config, ...layers].map(({ digest }) => {
    if (isDigest(digest)) return digest;
    throw new CcpError({
      code: 'store-corrupt',
      message: `the manifest of ${name} has an invalid digest`,
      hint: `build it again: ccp build ${name}`,
    });
  });
}

/**
 * A script that pushes with skopeo, which keeps digests. StarlingX puts its registry before the
 * public name of an image, without the public registry's port.
 */
function loadScript(images: readonly ImageToLoad[]): string {
  const lines = images.map(({ name, reference }) => {
    const local = reference.replace(/^([^/:]+):\d+\//, '$1/');
    return `load ${name} ${local}`;
  });
  return `#!/bin/sh
# Loads the images of this folder into the registry of StarlingX, so that it pulls nothing.
# usage: load-images.sh [REGISTRY] [SKOPEO OPTIONS...]
#   load-images.sh registry.local:9001 --dest-authfile auth.json
set -eu
folder=$(dirname "$0")
registry=\${1:-registry.local:9001}
[ $# -eq 0 ] || shift
options=$*

load() {
  echo "$registry/$2"
  # Options are separate words.
  # shellcheck disable=SC2086
  skopeo copy --preserve-digests $options "oci:$folder:$1" "docker://$registry/$2"
}

${lines.join('\n')}
`;
}

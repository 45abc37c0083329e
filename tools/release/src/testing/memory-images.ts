import { platform, series, sha256, type Digest, type Fingerprint, type ImageName } from '#core';
import type { ImageContent } from '#ports';
import { setAppSpec } from '../app-spec-artifact.ts';
import { artifactOf, blobOf, type Artifact } from '../oci.ts';
import type { ImageSet } from '../types.ts';

/** Images in memory for tests: the first one is the base of the others. */
export interface MemoryImages {
  readonly set: ImageSet;
  readonly content: ImageContent;
  readonly images: ReadonlyMap<string, Artifact>;
}

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';

/**
 * Images with a layer of the first image, one of their own, and an app spec. Each `builder` gives
 * the fingerprints other bytes.
 */
export function memoryImages(names: readonly string[], builder = ''): MemoryImages {
  const base = blobOf(`layer of ${names[0]}${builder}`, LAYER);
  const images = new Map(
    names.map((name, index) => {
      const layers = index === 0 ? [base] : [base, blobOf(`layer of ${name}`, LAYER)];
      return [name, artifactOf({ artifactType: `x/${name}`, layers })];
    }),
  );
  const documents = new Map<Digest, Uint8Array>();
  for (const { digest, manifest, blobs } of images.values()) {
    documents.set(digest, manifest);
    for (const { descriptor, bytes } of blobs) documents.set(descriptor.digest, bytes);
  }
  const set: ImageSet = {
    format: 2,
    series: series('2026.1'),
    platform: platform('linux/amd64'),
    images: names.map((name, index) => {
      const fingerprint = sha256(name) as string as Fingerprint;
      return {
        name: name as ImageName,
        version: `2026.1-${fingerprint.slice(0, 32)}`,
        fingerprint,
        digest: images.get(name)!.digest,
        size: 1,
        compressedSize: 1,
        contentKey: fingerprint,
        shipped: true,
        sources: {},
        packages: { debian: {}, python: {} },
        parents: index === 0 ? {} : { base: names[0] as ImageName },
        app: setAppSpec(name, { schema: '1.7.0', files: { 'app.yaml': `title: ${name}\n` } }),
      };
    }),
  };
  return {
    set,
    images,
    content: {
      document: (digest: Digest) => documents.get(digest)!,
      blob: async function* (digest: Digest) {
        yield documents.get(digest)!;
      },
    } as unknown as ImageContent,
  };
}

import { join } from 'node:path';
import { canonicalJson, type Digest, type Json } from '#core';
import { openBlobs, type Blobs } from '../layout/blobs.ts';
import { asRecord, readManifest } from '../layout/oci.ts';
import { compareLayers, type MemberDifference } from './compare-layers.ts';

/** An image in an OCI layout. */
export interface StoredImage {
  /** Path of the layout. */
  readonly folder: string;
  /** Digest of the image's manifest. */
  readonly digest: Digest;
}

/** A pair of layers at the same place that are not equal. */
export interface LayerDifference {
  /** Counted from 1, the lowest layer. */
  readonly layer: number;
  /** Digests in the first and the second image; absent if it has fewer layers. */
  readonly digests: readonly [Digest | undefined, Digest | undefined];
  /** Members that differ; empty if only their order or the format of the tar differs. */
  readonly members: readonly MemberDifference[];
}

/** A field of the configuration with other values, as canonical JSON; absent is undefined. */
export interface FieldDifference {
  readonly field: string;
  readonly values: readonly [string | undefined, string | undefined];
}

/** How two images differ; both lists are empty for equal images. */
export interface ImageDifference {
  readonly layers: readonly LayerDifference[];
  readonly config: readonly FieldDifference[];
}

/**
 * Compares two images layer by layer and member by member, and their configurations field by field.
 * Layers with equal digests are not read. Uses temporary files as large as the unpacked layers.
 * Throws `store-corrupt` for a missing or damaged blob, and `layer-invalid`.
 */
export async function compareImages(
  first: StoredImage,
  second: StoredImage,
): Promise<ImageDifference> {
  const images = [openImage(first), openImage(second)] as const;
  const [a, b] = images;
  const layers: LayerDifference[] = [];
  for (let index = 0; index < Math.max(a.layers.length, b.layers.length); index += 1) {
    const digests = [a.layers[index], b.layers[index]] as const;
    if (digests[0] === digests[1]) continue;
    const paths = await Promise.all([pathOf(a.blobs, digests[0]), pathOf(b.blobs, digests[1])]);
    layers.push({ layer: index + 1, digests, members: await compareLayers(paths[0], paths[1]) });
  }
  return { layers, config: compareFields(a.config, b.config) };
}

interface OpenImage {
  readonly blobs: Blobs;
  readonly layers: readonly Digest[];
  readonly config: Json;
}

function openImage({ folder, digest }: StoredImage): OpenImage {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  const { config, layers } = readManifest(blobs.document(digest).json);
  return {
    blobs,
    layers: layers.map((layer) => layer.digest),
    config: blobs.document(config).json,
  };
}

async function pathOf(blobs: Blobs, digest: Digest | undefined): Promise<string | undefined> {
  if (digest === undefined) return undefined;
  await blobs.verify(digest);
  return blobs.path(digest);
}

/** Compares the configurations by field, without the diff ids, which follow from the layers. */
function compareFields(a: Json, b: Json): readonly FieldDifference[] {
  const [first, second] = [fieldsOf(a), fieldsOf(b)];
  return [...new Set([...first.keys(), ...second.keys()])]
    .toSorted()
    .map((field) => ({ field, values: [first.get(field), second.get(field)] as const }))
    .filter(({ values }) => values[0] !== values[1]);
}

function fieldsOf(document: Json): ReadonlyMap<string, string> {
  const { config = {}, rootfs: _, ...rest } = asRecord(document, 'the configuration');
  const options = Object.entries(asRecord(config, 'config'));
  const fields = [
    ...Object.entries(rest),
    ...options.map(([key, value]) => [`config.${key}`, value] as const),
  ];
  return new Map(fields.map(([field, value]) => [field, canonicalJson(value as Json)]));
}

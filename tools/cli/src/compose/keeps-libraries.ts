import { gunzipSync } from 'node:zlib';
import { isRecord, type Digest, type Json } from '#core';
import { scanTar, type TarMember, type TarSource } from '#formats/tar';
import type { Descriptor, ImageStore } from '#ports';

type Layer = Pick<Descriptor, 'mediaType' | 'digest' | 'size'>;

/** Reads stored images. */
export interface ImageReader {
  readonly inspect: ImageStore['inspect'];
  readLayer(layer: Layer): Promise<Uint8Array>;
}

/** Maximum compressed size of the layers to read, and maximum size of one unpacked layer. */
const MAX_LAYERS = 1 << 20;
const MAX_UNPACKED = 16 << 20;
/** Whiteouts, folders of libraries, names of libraries, and the loader's configuration. */
const LIBRARY_PATH = /(?:^|\/)(?:\.wh\.|lib[^/]*(?:\/|$))|\.so|\.libs(?:\/|$)|^etc\/ld\.so/;
const LOADER_VARIABLE = /^(?:LD|GLIBC)_/;
const ELF = Buffer.from('\u007fELF');

/**
 * True if `image` surely has the same programs and libraries as `base`, so that the loader finds
 * what it found in `base`: its own layers are small and have only folders and plain files that are
 * neither programs nor in a place of libraries, and no variable configures the loader.
 */
export async function keepsLibraries(
  { inspect, readLayer }: ImageReader,
  image: Digest,
  base: Digest,
): Promise<boolean> {
  const [{ manifest, config }, below] = await Promise.all([inspect(image), inspect(base)]);
  if (environmentOf(config).some((variable) => LOADER_VARIABLE.test(variable))) return false;
  const inherited = layersOf(below.manifest);
  const layers = layersOf(manifest);
  if (inherited.some(({ digest }, index) => layers[index]?.digest !== digest)) return false;
  const own = layers.slice(inherited.length);
  if (own.reduce((sum, { size }) => sum + size, 0) > MAX_LAYERS) return false;
  for (const layer of own) if (changesLibraries(unpacked(await readLayer(layer)))) return false;
  return true;
}

/** True if a layer can change which libraries a program finds; undefined is an unknown layer. */
function changesLibraries(tar: Buffer | undefined): boolean {
  if (tar === undefined) return true;
  const source: TarSource = {
    size: tar.length,
    read: (offset, length) => tar.subarray(offset, offset + length),
  };
  return scanTar(source).some(
    (member) =>
      LIBRARY_PATH.test(member.path) ||
      (member.type !== 'directory' && (member.type !== 'file' || isElf(member, tar))),
  );
}

function isElf({ segments: [first] }: TarMember, tar: Buffer): boolean {
  return first?.at === 0 && tar.subarray(first.from, first.from + ELF.length).equals(ELF);
}

/** Undefined if the layer is not gzip or too large. */
function unpacked(layer: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(layer, { maxOutputLength: MAX_UNPACKED });
  } catch {
    return undefined;
  }
}

function layersOf(manifest: Json): readonly Layer[] {
  return (manifest as unknown as { readonly layers: readonly Layer[] }).layers;
}

function environmentOf(config: Json): readonly string[] {
  const inner: unknown = isRecord(config) ? config['config'] : undefined;
  const variables: unknown = isRecord(inner) ? inner['Env'] : undefined;
  return Array.isArray(variables) ? variables.map(String) : [];
}

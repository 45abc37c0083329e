import { canonicalJson, digestOf, hexOf, isDigest, isRecord, parseJson, type Json } from '#core';
import type { Descriptor } from '#ports';
import { MANIFEST_TYPE } from '../oci.ts';
import type { Signer } from '../sign/keys.ts';
import {
  SIGNATURE_NOTE,
  simpleConfig,
  simplePayload,
  simpleSignature,
} from '../sign/simple-signing.ts';
import { readBack, type Place, type Subject } from './place.ts';

/**
 * Adds a signature to the tag `sha256-HEX.sig` of a manifest, unless it has one of this key. Keeps
 * signatures of other keys.
 */
export async function writeSimpleSignature(
  { registry }: Place,
  { repository, digest }: Pick<Subject, 'repository' | 'digest'>,
  signer: Signer,
): Promise<void> {
  const reference = `${registry.host}/${repository}`;
  const tag = `sha256-${hexOf(digest)}.sig`;
  const known = layersIn((await registry.readManifest(repository, tag))?.bytes);
  const payload = Buffer.from(simplePayload(digest, reference));
  const isSigned = known.some(
    (layer) =>
      layer.digest === digestOf(payload) &&
      signer.key.isValid(payload, Buffer.from(layer.annotations?.[SIGNATURE_NOTE] ?? '', 'base64')),
  );
  if (isSigned) return;
  const signature = simpleSignature(signer, digest, reference);
  const layers = [...known, signature.descriptor];
  const config = simpleConfig(layers);
  for (const { descriptor, bytes } of [config, signature])
    await registry.writeBlob(repository, descriptor.digest, bytes.length, async function* () {
      yield bytes;
    });
  const manifest = Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      config: config.descriptor,
      layers,
    } as unknown as Json),
  );
  await registry.writeManifest(repository, tag, MANIFEST_TYPE, manifest);
  await readBack(registry, repository, tag, digestOf(manifest));
}

/** Signatures that are kept of one tag: an attacker can add any number. */
const MAX_SIGNATURES = 100;

/** The layers of an untrusted manifest; empty if it is not a manifest of signatures. */
export function layersIn(bytes: Uint8Array | undefined): readonly Descriptor[] {
  if (bytes === undefined) return [];
  try {
    const value = parseJson(Buffer.from(bytes).toString());
    const layers: unknown = isRecord(value) ? value['layers'] : undefined;
    return Array.isArray(layers) ? layers.filter(isDescriptor).slice(0, MAX_SIGNATURES) : [];
  } catch {
    return [];
  }
}

function isDescriptor(value: unknown): value is Descriptor {
  if (!isRecord(value)) return false;
  const { mediaType, digest, size, annotations } = value;
  return (
    typeof mediaType === 'string' &&
    typeof digest === 'string' &&
    isDigest(digest) &&
    Number.isSafeInteger(size) &&
    (annotations === undefined ||
      (isRecord(annotations) &&
        Object.values(annotations).every((text) => typeof text === 'string')))
  );
}

import { isRecord, messageOf, parseJson } from '#core';
import { RegistryFault } from './registry-fault.ts';
import type { RegistryStorage } from './registry-storage.ts';
import { digestParameter } from './content-digest.ts';

/**
 * The digest of a manifest's subject, if it has one. Throws `RegistryFault` if the bytes are not a
 * manifest, or if a blob in it is missing.
 */
export function checkManifest(bytes: Buffer, storage: RegistryStorage): string | undefined {
  const manifest = parse(bytes);
  if (!isRecord(manifest) || manifest['schemaVersion'] !== 2)
    throw new RegistryFault(400, 'MANIFEST_INVALID', 'the manifest does not have schema version 2');
  const { config, layers, subject } = manifest;
  const blobs = [
    ...(config === undefined ? [] : [config]),
    ...(Array.isArray(layers) ? (layers as readonly unknown[]) : []),
  ];
  for (const blob of blobs.filter((each) => !isElsewhere(each))) {
    const digest = digestParameter(digestIn(blob) ?? '');
    if (storage.blobSize(digest) === undefined)
      throw new RegistryFault(400, 'MANIFEST_BLOB_UNKNOWN', `blob ${digest} does not exist`);
  }
  const subjectDigest = digestIn(subject);
  return subjectDigest === undefined ? undefined : digestParameter(subjectDigest);
}

/** True for a layer that registries need not have (non-distributable, Docker's foreign layers). */
function isElsewhere(descriptor: unknown): boolean {
  const type = isRecord(descriptor) ? descriptor['mediaType'] : undefined;
  return typeof type === 'string' && /\.(?:nondistributable|foreign)\./.test(type);
}

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(bytes.toString());
  } catch (cause) {
    throw new RegistryFault(
      400,
      'MANIFEST_INVALID',
      `the manifest is invalid: ${messageOf(cause)}`,
    );
  }
}

function digestIn(descriptor: unknown): string | undefined {
  const digest = isRecord(descriptor) ? descriptor['digest'] : undefined;
  return typeof digest === 'string' ? digest : undefined;
}

import { CcpError, digestOf, isRecord, parseJson, type Digest } from '#core';
import type { Descriptor, Registry } from '../registry.ts';

/** A registry in memory. */
export interface MemoryRegistry extends Registry {
  /** Manifests by `REPOSITORY@DIGEST`. */
  readonly manifests: Map<string, Uint8Array>;
  /** Digests by `REPOSITORY:TAG`. */
  readonly names: Map<string, Digest>;
  readonly blobs: Map<Digest, Uint8Array>;
}

/** A registry in memory for tests; all repositories share its blobs. */
export function memoryRegistry(host = 'registry.test'): MemoryRegistry {
  const manifests = new Map<string, Uint8Array>();
  const names = new Map<string, Digest>();
  const blobs = new Map<Digest, Uint8Array>();
  const find = (repository: string, reference: string): Uint8Array | undefined =>
    manifests.get(`${repository}@${names.get(`${repository}:${reference}`) ?? reference}`);
  return {
    host,
    manifests,
    names,
    blobs,
    hasBlob: async (_, digest) => blobs.has(digest),
    findBlob: async (_, digest) => {
      const bytes = blobs.get(digest);
      return bytes && { size: bytes.length };
    },
    readBlob: async (_, { digest, size }) =>
      (async function* () {
        const bytes = blobs.get(digest);
        if (bytes === undefined) throw new Error(`blob ${digest} is missing`);
        if (bytes.length === size && digestOf(bytes) !== digest)
          throw new CcpError({
            code: 'registry-damaged',
            message: `${host} sent damaged content when asked to read blob ${digest}`,
          });
        yield bytes.subarray(0, size);
      })(),
    writeBlob: async (_, digest, _size, data) => {
      if (!blobs.has(digest)) blobs.set(digest, Buffer.concat(await Array.fromAsync(data())));
    },
    mountBlob: async (_, digest) => blobs.has(digest),
    readManifest: async (repository, reference) => {
      const bytes = find(repository, reference);
      return bytes && { mediaType: 'application/vnd.oci.image.manifest.v1+json', bytes };
    },
    manifestDigest: async (repository, reference) => {
      const bytes = find(repository, reference);
      return bytes && digestOf(bytes);
    },
    tags: async (repository) =>
      [...names.keys()].flatMap((name) =>
        name.startsWith(`${repository}:`) ? [name.slice(repository.length + 1)] : [],
      ),
    writeManifest: async (repository, reference, _, bytes) => {
      const digest = digestOf(bytes);
      manifests.set(`${repository}@${digest}`, bytes);
      if (reference !== digest) names.set(`${repository}:${reference}`, digest);
      return digest;
    },
    referrers: async (repository, digest) =>
      [...manifests].flatMap(([name, bytes]) =>
        name.startsWith(`${repository}@`) ? referrerOf(bytes, digest) : [],
      ),
  };
}

function referrerOf(bytes: Uint8Array, digest: Digest): readonly Descriptor[] {
  const value = parseJson(Buffer.from(bytes).toString());
  if (!isRecord(value) || !isRecord(value['subject']) || value['subject']['digest'] !== digest)
    return [];
  const { mediaType, artifactType, annotations } = value;
  return [
    {
      mediaType,
      digest: digestOf(bytes),
      size: bytes.length,
      artifactType,
      annotations,
    } as Descriptor,
  ];
}

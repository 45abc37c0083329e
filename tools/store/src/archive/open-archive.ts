import { createReadStream } from 'node:fs';
import {
  CcpError,
  codeOf,
  digestOf,
  fileFault,
  isDigest,
  isRecord,
  messageOf,
  parseJson,
  type Digest,
} from '#core';
import type { Descriptor, Registry } from '#ports';
import { checkedBlob, refuseLargeBlob } from '../client/checked-blob.ts';
import { archiveFiles, readRange, type FileRange } from './archive-files.ts';

/** Maximum size of a manifest and of the index, in bytes. */
const MAX_MANIFEST = 16 << 20;
const BLOB = /^blobs\/sha256\/([0-9a-f]{64})$/;
const NAME = 'org.opencontainers.image.ref.name';

/** An OCI archive: a tar of an OCI layout, which is read without unpacking it. */
export interface OciArchive {
  readonly registry: Registry;
  /** Names of manifests: `IMAGE:TAG`. */
  readonly names: readonly string[];
}

/**
 * Opens an OCI archive as a read-only registry. An image `NAME:TAG` of its index is the tag `TAG`
 * of the repository `PREFIX/NAME`. Content is checked against its digest when it is read. Throws
 * `bundle-invalid`.
 */
export function openArchive(file: string, prefix: string): OciArchive {
  const invalid = (why: string): CcpError =>
    new CcpError({
      code: 'bundle-invalid',
      message: `${file} is not a bundle: ${why}`,
      hint: 'write it again: ccp release bundle',
    });
  const blobs = new Map<Digest, FileRange>();
  let index: FileRange | undefined;
  try {
    for (const [path, range] of archiveFiles(file)) {
      const hex = BLOB.exec(path)?.[1];
      if (hex !== undefined) blobs.set(`sha256:${hex}` as Digest, range);
      else if (path === 'index.json') index = range;
    }
  } catch (thrown) {
    if (codeOf(thrown) !== 'layer-invalid') throw fileFault(thrown, 'read', file);
    throw invalid(messageOf(thrown).replace('the layer cannot be normalised: ', ''));
  }
  if (index === undefined) throw invalid('it has no index.json');
  const manifestBytes = (digest: Digest): Buffer | undefined => {
    const range = blobs.get(digest);
    if (range === undefined) return undefined;
    if (range.size > MAX_MANIFEST) throw invalid(`manifest ${digest} has ${range.size} bytes`);
    const bytes = readRange(file, range);
    if (digestOf(bytes) !== digest) throw invalid(`manifest ${digest} has other bytes`);
    return bytes;
  };
  if (index.size > MAX_MANIFEST) throw invalid(`its index has ${index.size} bytes`);
  const { tags, manifests } = readIndex(readRange(file, index), invalid);
  const find = (repository: string, reference: string): Digest | undefined => {
    if (isDigest(reference)) return blobs.has(reference) ? reference : undefined;
    return repository.startsWith(`${prefix}/`)
      ? tags.get(`${repository.slice(prefix.length + 1)}:${reference}`)
      : undefined;
  };
  const refuse = async (): Promise<never> => {
    throw new CcpError({
      code: 'usage',
      message: `${file} is an archive, which cannot be changed`,
      hint: 'copy it to a registry with `ccp release mirror`',
    });
  };
  let referrers: ReadonlyMap<Digest, readonly Referrer[]> | undefined;
  const registry: Registry = {
    host: file,
    hasBlob: async (_, digest) => blobs.has(digest),
    findBlob: async (_, digest) => {
      const range = blobs.get(digest);
      return range && { size: range.size };
    },
    async readBlob(_, blob) {
      const wanted = { blob, host: file, action: `read blob ${blob.digest}` };
      refuseLargeBlob(wanted);
      const range = blobs.get(blob.digest);
      if (range === undefined) throw invalid(`blob ${blob.digest} is missing`);
      const { from: start, size } = range;
      return checkedBlob(
        size === 0 ? emptyBody() : createReadStream(file, { start, end: start + size - 1 }),
        wanted,
      );
    },
    async readManifest(repository, reference) {
      const digest = find(repository, reference);
      const bytes = digest && manifestBytes(digest);
      return bytes && { mediaType: 'application/vnd.oci.image.manifest.v1+json', bytes };
    },
    manifestDigest: async (repository, reference) => find(repository, reference),
    tags: async (repository) =>
      [...tags.keys()].flatMap((name) =>
        `${prefix}/${name}`.startsWith(`${repository}:`) ? [name.slice(name.indexOf(':') + 1)] : [],
      ),
    async referrers(_, subject) {
      referrers ??= Map.groupBy(
        manifests.flatMap((digest) => referrerOf(digest, manifestBytes(digest), invalid)),
        (each) => each.subject,
      );
      return (referrers.get(subject) ?? []).map(({ descriptor }) => descriptor);
    },
    writeBlob: refuse,
    mountBlob: refuse,
    writeManifest: refuse,
  };
  return { registry, names: [...tags.keys()] };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

interface ArchiveIndex {
  /** `IMAGE:TAG` -> digest of the manifest. */
  readonly tags: ReadonlyMap<string, Digest>;
  readonly manifests: readonly Digest[];
}

function readIndex(bytes: Buffer, invalid: (why: string) => CcpError): ArchiveIndex {
  const value = parseIn(bytes, 'its index', invalid);
  const entries: unknown = isRecord(value) ? value['manifests'] : undefined;
  if (!Array.isArray(entries)) throw invalid('its index has no manifests');
  const tags = new Map<string, Digest>();
  const manifests = new Set<Digest>();
  for (const entry of entries as readonly unknown[]) {
    const { digest, annotations } = isRecord(entry) ? entry : {};
    if (typeof digest !== 'string' || !isDigest(digest))
      throw invalid('its index has a manifest without a digest');
    manifests.add(digest);
    const name = isRecord(annotations) ? annotations[NAME] : undefined;
    if (typeof name !== 'string') continue;
    if (tags.has(name)) throw invalid(`its index names ${name} twice`);
    tags.set(name, digest);
  }
  return { tags, manifests: [...manifests] };
}

function parseIn(bytes: Buffer, name: string, invalid: (why: string) => CcpError): unknown {
  try {
    return parseJson(bytes.toString());
  } catch (thrown) {
    throw invalid(`${name} cannot be read: ${messageOf(thrown)}`);
  }
}

interface Referrer {
  readonly subject: Digest;
  readonly descriptor: Descriptor;
}

function referrerOf(
  digest: Digest,
  bytes: Buffer | undefined,
  invalid: (why: string) => CcpError,
): readonly Referrer[] {
  if (bytes === undefined) return [];
  const value = parseIn(bytes, `manifest ${digest}`, invalid);
  const subject = isRecord(value) && isRecord(value['subject']) ? value['subject']['digest'] : '';
  if (typeof subject !== 'string' || !isDigest(subject)) return [];
  const { mediaType, artifactType, annotations } = value as unknown as Descriptor;
  const size = bytes.length;
  return [
    { subject, descriptor: { mediaType, digest, size, artifactType, annotations } as Descriptor },
  ];
}

import { CcpError, type Digest } from '#core';
import { rereadDamaged, type Registry } from '#ports';
import { MANIFEST_TYPE, type Artifact, type BlobDescriptor } from '../oci.ts';

/** Where image sets are published: below `PREFIX/` of a registry. */
export interface Place {
  readonly registry: Registry;
  /** Path without slashes at its ends. */
  readonly prefix: string;
}

/** A manifest in a repository. */
export interface Subject {
  readonly repository: string;
  readonly digest: Digest;
  /** Bytes of the manifest. */
  readonly size: number;
}

/** A parsed `[http[s]://]HOST[:PORT]/PREFIX`. */
export interface PlaceName {
  readonly host: string;
  readonly prefix: string;
  /** True after `http://`, false after `https://`; absent without a scheme. */
  readonly plainHttp?: boolean;
}

const PLACE =
  /^(?:(https?):\/\/)?((?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::\d{1,5})?)\/([a-z0-9]+(?:[._-]{1,2}[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]{1,2}[a-z0-9]+)*)*)$/;

/** Parses the value of `--to` and `--from`. Throws `usage`. */
export function parsePlace(text: string): PlaceName {
  const [, scheme, host, prefix] = PLACE.exec(text.length < 512 ? text : '') ?? [];
  if (host === undefined || prefix === undefined)
    throw new CcpError({
      code: 'usage',
      message: `${JSON.stringify(text)} is not a registry and a path`,
      hint: 'use HOST/PATH, like registry.example.org/ccp; http://HOST/PATH for plain HTTP',
    });
  return { host, prefix, ...(scheme === undefined ? {} : { plainHttp: scheme === 'http' }) };
}

/** The repository of an image. */
export function repositoryOf({ prefix }: Pick<Place, 'prefix'>, image: string): string {
  return `${prefix}/${image}`;
}

/** The repository of image sets; image names have no dots. */
export function setsRepository(place: Pick<Place, 'prefix'>): string {
  return repositoryOf(place, 'ccp.sets');
}

/** Writes an artifact without a tag, and checks that the registry has it. */
export async function writeArtifact(
  { registry }: Place,
  repository: string,
  { digest, manifest, blobs }: Artifact,
): Promise<void> {
  for (const { descriptor, bytes } of blobs)
    await registry.writeBlob(repository, descriptor.digest, bytes.length, async function* () {
      yield bytes;
    });
  await registry.writeManifest(repository, digest, MANIFEST_TYPE, manifest);
  await readBack(registry, repository, digest, digest);
}

/** True if a name has the digest of an artifact and the registry has all blobs of the artifact. */
export async function hasArtifact(
  { registry }: Place,
  repository: string,
  reference: string,
  { digest, blobs }: Artifact,
): Promise<boolean> {
  if ((await registry.manifestDigest(repository, reference)) !== digest) return false;
  const found = await Promise.all(
    blobs.map(({ descriptor }) => registry.hasBlob(repository, descriptor.digest)),
  );
  return found.every(Boolean);
}

/** Throws `publish-lost` if a name does not have this digest after a write. */
export async function readBack(
  registry: Registry,
  repository: string,
  reference: string,
  digest: Digest,
): Promise<void> {
  const found = await registry.manifestDigest(repository, reference);
  if (found === digest) return;
  throw new CcpError({
    code: 'publish-lost',
    message: `${registry.host}/${repository}:${reference} refers to ${found ?? 'nothing'} after ${digest} was pushed`,
    hint: 'run the command again; if that does not help, check the registry and other writers',
  });
}

/**
 * Reads all bytes of a blob, again if they are damaged; throws `registry-invalid` after `limit`
 * bytes, and `registry-damaged`.
 */
export async function readWhole(
  registry: Registry,
  repository: string,
  blob: BlobDescriptor,
  limit: number,
): Promise<Buffer> {
  return rereadDamaged(() => readOnce(registry, repository, blob, limit));
}

async function readOnce(
  registry: Registry,
  repository: string,
  blob: BlobDescriptor,
  limit: number,
): Promise<Buffer> {
  const { digest } = blob;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of await registry.readBlob(repository, blob)) {
    size += chunk.length;
    if (size > limit)
      throw new CcpError({
        code: 'registry-invalid',
        message: `blob ${digest} of ${registry.host}/${repository} is longer than ${limit} bytes`,
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

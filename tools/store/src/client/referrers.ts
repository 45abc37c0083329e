import {
  backOffMs,
  canonicalJson,
  digestOf,
  hexOf,
  isDigest,
  isRecord,
  messageOf,
  omitUndefined,
  parseJson,
  type Digest,
} from '#core';
import type { Descriptor, Registry } from '#ports';
import { nextPage } from './next-page.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import type { RegistryHttp } from './registry-http.ts';

/** Maximum size of a page, in bytes. */
const MAX_PAGE = 4 << 20;
const MAX_PAGES = 100;
/** Referrers of one manifest. */
const MAX_REFERRERS = 20_000;
const INDEX = 'application/vnd.oci.image.index.v1+json';
const REFERRER_ATTEMPTS = 12;
const REFERRER_PAUSE = { firstMs: 10, limitMs: 2000 };

/** The descriptors in an index of referrers. Throws `registry-invalid`. */
function listReferrers(bytes: Uint8Array, host: string, action: string): readonly Descriptor[] {
  try {
    const { manifests } = parseJson(Buffer.from(bytes).toString()) as { manifests?: unknown };
    if (!Array.isArray(manifests)) throw new Error('the response has no "manifests" list');
    if (!manifests.every(isDescriptor))
      throw new Error('its "manifests" list has an invalid descriptor');
    return manifests;
  } catch (thrown) {
    throw invalidResponse(host, action, messageOf(thrown));
  }
}

function isDescriptor(value: unknown): value is Descriptor {
  if (!isRecord(value)) return false;
  const { mediaType, digest, size, artifactType = '', annotations = {} } = value;
  return (
    typeof mediaType === 'string' &&
    typeof digest === 'string' &&
    isDigest(digest) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0 &&
    typeof artifactType === 'string' &&
    isRecord(annotations) &&
    Object.values(annotations).every((each) => typeof each === 'string')
  );
}

/**
 * The descriptors of all manifests with this subject: all pages of the referrers API, or the index
 * under the fallback tag if the registry does not have the API. Throws `registry-invalid` for
 * endless pages and more than 20,000 referrers.
 */
export async function readReferrers(
  http: RegistryHttp,
  registry: Pick<Registry, 'host' | 'readManifest'>,
  repository: string,
  digest: Digest,
): Promise<readonly Descriptor[]> {
  const { host } = registry;
  const action = `list referrers of ${digest} in ${repository}`;
  const found = new Map<Digest, Descriptor>();
  let path: string | undefined = `/v2/${repository}/referrers/${digest}`;
  for (let page = 0; path !== undefined; page += 1) {
    if (page === MAX_PAGES)
      throw invalidResponse(host, action, `the list has more than ${MAX_PAGES} pages`);
    const scope = `repository:${repository}:pull`;
    const response = await http({ method: 'GET', path, scope, action });
    if (response.status === 404 && page === 0) {
      await response.body?.cancel();
      const index = await registry.readManifest(repository, `sha256-${hexOf(digest)}`);
      return index === undefined ? [] : listReferrers(index.bytes, host, action);
    }
    const bytes = await readLimited(response, MAX_PAGE, host, action);
    if (response.status !== 200)
      throw requestRefused(host, action, response.status, bytes.toString());
    for (const each of listReferrers(bytes, host, action)) found.set(each.digest, each);
    if (found.size > MAX_REFERRERS)
      throw invalidResponse(host, action, `the list has more than ${MAX_REFERRERS} referrers`);
    path = nextPage(response);
  }
  return [...found.values()];
}

/**
 * Adds a manifest with a subject to the index under the subject's fallback tag (`sha256-HEX`), for
 * registries without the referrers API, and reads it back. Does nothing for a manifest without a
 * subject. Throws `registry-invalid` if the entry does not stay in the index.
 */
export async function recordReferrer(
  registry: Registry,
  repository: string,
  mediaType: string,
  bytes: Uint8Array,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const manifest = JSON.parse(Buffer.from(bytes).toString()) as {
    subject?: { digest?: unknown };
    artifactType?: string;
    config?: { mediaType?: string };
    annotations?: Record<string, string>;
  };
  const subject = manifest.subject?.digest;
  if (typeof subject !== 'string' || !isDigest(subject)) return;
  const tag = `sha256-${hexOf(subject)}`;
  const artifactType = manifest.artifactType ?? manifest.config?.mediaType;
  const entry: Descriptor = {
    mediaType,
    digest: digestOf(bytes),
    size: bytes.length,
    ...omitUndefined({ artifactType }),
    ...omitUndefined({ annotations: manifest.annotations }),
  };
  const action = `read the referrers of ${subject}`;
  const listed = async (): Promise<readonly Descriptor[]> => {
    const index = await registry.readManifest(repository, tag);
    return index === undefined ? [] : listReferrers(index.bytes, registry.host, action);
  };
  // Another writer may replace the index between the read and the write: read it again until the
  // entry stays in it.
  for (let attempt = 1; attempt <= REFERRER_ATTEMPTS; attempt += 1) {
    const others = await listed();
    if (others.some((other) => canonicalJson(other as never) === canonicalJson(entry as never)))
      return;
    const manifests = [...others.filter((other) => other.digest !== entry.digest), entry];
    await registry.writeManifest(
      repository,
      tag,
      INDEX,
      Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests })),
    );
    await sleep(backOffMs(REFERRER_PAUSE, attempt));
  }
  if ((await listed()).some(({ digest }) => digest === entry.digest)) return;
  throw invalidResponse(
    registry.host,
    `record the referrer ${entry.digest} of ${subject}`,
    `the tag ${tag} does not keep it`,
  );
}

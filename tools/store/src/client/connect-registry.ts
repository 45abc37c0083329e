import { setTimeout } from 'node:timers/promises';
import { CcpError, digestOf, isDigest } from '#core';
import { rereadDamaged, type Registry } from '#ports';
import type { RegistryOptions } from '../options.ts';
import { checkedBlob, refuseLargeBlob } from './checked-blob.ts';
import { listTags } from './list-tags.ts';
import { readLimited } from './read-limited.ts';
import { readReferrers, recordReferrer } from './referrers.ts';
import { damagedResponse, requestRefused } from './registry-error.ts';
import { registryHttp } from './registry-http.ts';
import { uploadBlob } from './upload-blob.ts';

/** Maximum size of a manifest, in bytes. */
const MAX_MANIFEST = 4 << 20;
/** Times that a refused manifest is sent again. */
const CONFLICTS = 4;
const ACCEPT = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

/** See `connectRegistry` in index.ts. */
export function connectRegistry(options: RegistryOptions): Registry {
  const { host, chunkSize = 16 << 20, sleep = setTimeout } = options;
  const http = registryHttp(options);
  const pull = (repository: string): string => `repository:${repository}:pull`;
  const fail = async (response: Response, action: string): Promise<CcpError> =>
    requestRefused(
      host,
      action,
      response.status,
      (await readLimited(response, 1 << 20, host, action)).toString(),
    );

  const readManifest: Registry['readManifest'] = async (repository, reference) => {
    const action = `read manifest ${reference} of ${repository}`;
    const response = await http({
      method: 'GET',
      path: `/v2/${repository}/manifests/${reference}`,
      scope: pull(repository),
      action,
      headers: { Accept: ACCEPT },
    });
    if (response.status === 404) return void (await response.body?.cancel());
    if (response.status !== 200) throw await fail(response, action);
    const bytes = await readLimited(response, MAX_MANIFEST, host, action);
    if (isDigest(reference) && digestOf(bytes) !== reference)
      throw damagedResponse(host, action, `the response has the digest ${digestOf(bytes)}`);
    return { mediaType: (response.headers.get('content-type') ?? '').split(';')[0] ?? '', bytes };
  };

  const registry: Registry = {
    host,
    hasBlob: async (repository, digest) =>
      (await registry.findBlob(repository, digest)) !== undefined,
    async findBlob(repository, digest) {
      const action = `check for blob ${digest} in ${repository}`;
      const response = await http({
        method: 'HEAD',
        path: `/v2/${repository}/blobs/${digest}`,
        scope: pull(repository),
        action,
      });
      if (response.status === 200) return sizeIn(response);
      if (response.status === 404) return undefined;
      throw await fail(response, action);
    },
    async readBlob(repository, blob) {
      const { digest } = blob;
      const action = `read blob ${digest} of ${repository}`;
      const wanted = { blob, host, action };
      refuseLargeBlob(wanted);
      const response = await http({
        method: 'GET',
        path: `/v2/${repository}/blobs/${digest}`,
        scope: pull(repository),
        action,
      });
      if (response.status !== 200 || response.body === null) throw await fail(response, action);
      return checkedBlob(response.body, wanted);
    },
    async writeBlob(repository, digest, size, data) {
      if (await registry.hasBlob(repository, digest)) return;
      await uploadBlob(http, host, { repository, digest, size, data }, chunkSize, sleep);
    },
    async mountBlob(repository, digest, from) {
      const action = `mount blob ${digest} of ${from} in ${repository}`;
      const query = new URLSearchParams({ mount: digest, from });
      const response = await http({
        method: 'POST',
        path: `/v2/${repository}/blobs/uploads/?${query.toString()}`,
        scope: `repository:${repository}:pull,push repository:${from}:pull`,
        action,
        headers: { 'Content-Length': '0' },
      });
      await response.body?.cancel();
      return response.status === 201;
    },
    readManifest: (repository, reference) =>
      rereadDamaged(() => readManifest(repository, reference), sleep),
    async manifestDigest(repository, reference) {
      const action = `check for manifest ${reference} of ${repository}`;
      const response = await http({
        method: 'HEAD',
        path: `/v2/${repository}/manifests/${reference}`,
        scope: pull(repository),
        action,
        headers: { Accept: ACCEPT },
      });
      if (response.status === 404) return undefined;
      if (response.status !== 200) throw await fail(response, action);
      const digest = response.headers.get('docker-content-digest');
      if (digest !== null && isDigest(digest)) return digest;
      const found = await registry.readManifest(repository, reference);
      return found === undefined ? undefined : digestOf(found.bytes);
    },
    tags: (repository) => rereadDamaged(() => listTags(http, host, repository), sleep),
    async writeManifest(repository, reference, mediaType, bytes) {
      const action = `store manifest ${reference} in ${repository}`;
      if (bytes.length > MAX_MANIFEST) {
        throw new CcpError({
          code: 'manifest-too-large',
          message: `manifest ${reference} of ${repository} has ${bytes.length} bytes; registries accept at most ${MAX_MANIFEST}`,
        });
      }
      const put = async (attempt: number): Promise<Response> => {
        const response = await http({
          method: 'PUT',
          path: `/v2/${repository}/manifests/${reference}`,
          scope: `repository:${repository}:pull,push`,
          action,
          headers: { 'Content-Type': mediaType },
          body: new Uint8Array(bytes),
        });
        if (response.status === 201) return response;
        // Distribution 2.8 reads a manifest back while another client writes the same one.
        const text = (await readLimited(response, 1 << 20, host, action)).toString();
        if (!text.includes('DIGEST_INVALID') || attempt === CONFLICTS)
          throw requestRefused(host, action, response.status, text);
        await sleep(100 * 2 ** attempt * (0.5 + Math.random()));
        return put(attempt + 1);
      };
      const response = await put(0);
      await response.body?.cancel();
      if (response.headers.get('oci-subject') === null)
        await recordReferrer(registry, repository, mediaType, bytes, sleep);
      return digestOf(bytes);
    },
    referrers: (repository, digest) =>
      rereadDamaged(() => readReferrers(http, registry, repository, digest), sleep),
  };
  return registry;
}

function sizeIn({ headers }: Response): { readonly size?: number } {
  const text = headers.get('content-length') ?? '';
  return /^\d{1,15}$/.test(text) ? { size: Number(text) } : {};
}

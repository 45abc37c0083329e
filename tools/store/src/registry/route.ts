import { isDigest, type Digest } from '#core';
import { RegistryFault } from './registry-fault.ts';

/** What a request is about. */
export type Route =
  | { readonly kind: 'ping' }
  | { readonly kind: 'tags'; readonly repository: string }
  | { readonly kind: 'referrers'; readonly repository: string; readonly digest: Digest }
  | { readonly kind: 'manifest'; readonly repository: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly repository: string; readonly digest: Digest }
  | { readonly kind: 'uploads'; readonly repository: string }
  | { readonly kind: 'upload'; readonly repository: string; readonly id: string };

const NAME = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PATHS = /^\/v2\/(.{1,255})\/(?:(tags)\/list|(referrers|manifests|blobs)\/([^/]+)|blobs\/(uploads)\/([^/]*))$/;

/** The route of a request's path, its names checked. Raises a `RegistryFault`. */
export function parseRoute(path: string): Route {
  if (path === '/v2' || path === '/v2/') return { kind: 'ping' };
  const match = PATHS.exec(path.length < 1024 ? path : '');
  if (match === null) throw new RegistryFault(404, 'NAME_UNKNOWN', 'there is nothing at this path');
  const [, repository = '', tags, kind, reference = '', , id = ''] = match;
  if (!NAME.test(repository)) throw new RegistryFault(400, 'NAME_INVALID', `${JSON.stringify(repository)} is not a repository name`);
  if (tags !== undefined) return { kind: 'tags', repository };
  if (kind === 'manifests') {
    if (!isDigest(reference) && !TAG.test(reference)) throw new RegistryFault(400, 'TAG_INVALID', `${JSON.stringify(reference)} is neither a tag nor a digest`);
    return { kind: 'manifest', repository, reference };
  }
  if (kind === 'blobs' && reference === 'uploads') return { kind: 'uploads', repository };
  if (kind === 'blobs') return { kind: 'blob', repository, digest: digestParameter(reference) };
  if (kind === 'referrers') return { kind: 'referrers', repository, digest: digestParameter(reference) };
  if (id === '') return { kind: 'uploads', repository };
  if (!UUID.test(id)) throw new RegistryFault(404, 'BLOB_UPLOAD_UNKNOWN', 'there is no such upload');
  return { kind: 'upload', repository, id };
}

/** A digest from a path or query. Raises a `RegistryFault`. */
export function digestParameter(text: string): Digest {
  if (isDigest(text)) return text;
  throw new RegistryFault(400, 'DIGEST_INVALID', `${JSON.stringify(text.slice(0, 200))} is not a sha256 digest`);
}

import { digestParameter, isContentDigest, type ContentDigest } from './content-digest.ts';
import { RegistryFault } from './registry-fault.ts';

/** The kind of a request, with the names in its path. */
export type Route =
  | { readonly kind: 'ping' }
  | { readonly kind: 'tags'; readonly repository: string }
  | { readonly kind: 'referrers'; readonly repository: string; readonly digest: ContentDigest }
  | { readonly kind: 'manifest'; readonly repository: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly repository: string; readonly digest: ContentDigest }
  | { readonly kind: 'uploads'; readonly repository: string }
  | { readonly kind: 'upload'; readonly repository: string; readonly id: string };

const NAME = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const PATHS =
  /^\/v2\/(.{1,255})\/(?:(tags)\/list|(referrers|manifests|blobs)\/([^/]+)|blobs\/(uploads)\/([^/]*))$/;

/** Parses a request's path and checks its names. Throws `RegistryFault`. */
function parseRoute(path: string): Route {
  if (path === '/v2' || path === '/v2/') return { kind: 'ping' };
  const match = PATHS.exec(path.length < 1024 ? path : '');
  if (match === null) throw new RegistryFault(404, 'NAME_UNKNOWN', 'the path does not exist');
  const [, repository = '', tags, kind, reference = '', , id = ''] = match;
  if (!NAME.test(repository))
    throw new RegistryFault(
      400,
      'NAME_INVALID',
      `${JSON.stringify(repository)} is not a repository name`,
    );
  if (tags !== undefined) return { kind: 'tags', repository };
  if (kind === 'manifests') {
    if (!isContentDigest(reference) && !TAG.test(reference))
      throw new RegistryFault(
        400,
        'TAG_INVALID',
        `${JSON.stringify(reference)} is neither a tag nor a digest`,
      );
    return { kind: 'manifest', repository, reference };
  }
  if (kind === 'blobs' && reference === 'uploads') return { kind: 'uploads', repository };
  if (kind === 'blobs') return { kind: 'blob', repository, digest: digestParameter(reference) };
  if (kind === 'referrers')
    return { kind: 'referrers', repository, digest: digestParameter(reference) };
  if (id === '') return { kind: 'uploads', repository };
  if (!UUID.test(id))
    throw new RegistryFault(404, 'BLOB_UPLOAD_UNKNOWN', 'the upload does not exist');
  return { kind: 'upload', repository, id };
}

/** Parses a request's target. Throws `RegistryFault` if it is not valid. */
export function parseTarget(target: string | undefined): {
  readonly route: Route;
  readonly query: URLSearchParams;
} {
  const url = URL.parse(target ?? '', 'http://registry');
  if (url === null) throw new RegistryFault(400, 'NAME_INVALID', 'the path is not valid');
  return { route: parseRoute(decodePath(url.pathname)), query: url.searchParams };
}

/** The repository in a request's target; empty if it has none. */
export function requestedRepository(target: string | undefined): string {
  try {
    const { route } = parseTarget(target);
    return 'repository' in route ? route.repository : '';
  } catch {
    return '';
  }
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new RegistryFault(400, 'NAME_INVALID', 'the path is not valid');
  }
}

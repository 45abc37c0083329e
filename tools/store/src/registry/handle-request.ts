import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { digestOf, isDigest } from '#core';
import { MAX_DOCUMENT } from '../layout/blobs.ts';
import type { BlobUploads } from './blob-uploads.ts';
import { RegistryFault, sendJson } from './registry-fault.ts';
import type { RegistryStorage } from './registry-storage.ts';
import { digestParameter, parseRoute, type Route } from './route.ts';

/** A request with the answer to it. */
interface Exchange {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers one request of the OCI distribution specification. Raises a `RegistryFault` for what is not success. */
export async function handleRequest(
  storage: RegistryStorage,
  uploads: BlobUploads | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://registry');
  const route = parseRoute(decodePath(url.pathname));
  const method = request.method ?? 'GET';
  const exchange: Exchange = { method, query: url.searchParams, request, response };
  response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
  if (method === 'GET' || method === 'HEAD') return read(storage, uploads, route, exchange);
  if (storage.inbox === undefined || uploads === undefined) throw new RegistryFault(405, 'UNSUPPORTED', 'this registry serves pulls alone');
  if (method === 'PUT' && route.kind === 'manifest') return putManifest(storage, route, exchange);
  if (method === 'POST' && route.kind === 'uploads') return startUpload(storage, uploads, route.repository, exchange);
  if (route.kind === 'upload') return continueUpload(uploads, route, exchange);
  throw new RegistryFault(405, 'UNSUPPORTED', `${method} is not understood here`);
}

async function read(storage: RegistryStorage, uploads: BlobUploads | undefined, route: Route, exchange: Exchange): Promise<void> {
  const { method, response } = exchange;
  switch (route.kind) {
    case 'ping':
      return sendJson(response, 200, {});
    case 'tags':
      return sendJson(response, 200, { name: route.repository, tags: storage.tags(route.repository) });
    case 'referrers':
      return sendJson(
        response,
        200,
        { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: storage.referrers(route.repository, route.digest) },
        { 'Content-Type': 'application/vnd.oci.image.index.v1+json' },
      );
    case 'manifest': {
      const found = storage.manifest(route.repository, route.reference);
      if (found === undefined) throw new RegistryFault(404, 'MANIFEST_UNKNOWN', `${route.repository} has no ${route.reference}`);
      response.writeHead(200, {
        'Content-Type': found.mediaType,
        'Content-Length': found.bytes.length,
        'Docker-Content-Digest': digestOf(found.bytes),
      });
      return void response.end(method === 'HEAD' ? undefined : found.bytes);
    }
    case 'blob':
      return sendBlob(storage, route, exchange);
    case 'upload': {
      const received = uploads?.received(route.repository, route.id) ?? 0;
      response.writeHead(204, { Range: `0-${Math.max(received - 1, 0)}` });
      return void response.end();
    }
    case 'uploads':
      throw new RegistryFault(405, 'UNSUPPORTED', 'uploads are not listed');
  }
}

async function sendBlob(storage: RegistryStorage, route: Route & { kind: 'blob' }, { method, request, response }: Exchange): Promise<void> {
  const size = storage.blobSize(route.digest);
  const file = storage.blobFile(route.digest);
  const headers = { 'Content-Type': 'application/octet-stream', 'Docker-Content-Digest': route.digest, 'Accept-Ranges': 'bytes' };
  if (method === 'HEAD' && size !== undefined) {
    response.writeHead(200, { ...headers, 'Content-Length': size });
    return void response.end();
  }
  if (size === undefined || file === undefined) throw new RegistryFault(404, 'BLOB_UNKNOWN', `there is no blob ${route.digest}, or it is damaged`);
  const range = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(range?.[2] ? Number(range[2]) : size - 1, size - 1);
  if (range !== null && start > end) throw new RegistryFault(416, 'SIZE_INVALID', `the blob has ${size} bytes`);
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'Content-Length': size === 0 ? 0 : end - start + 1,
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  });
  if (size === 0) return void response.end();
  await pipeline(createReadStream(file, { start, end, highWaterMark: 1 << 18 }), response);
}

async function putManifest(storage: RegistryStorage, route: Route & { kind: 'manifest' }, { request, response }: Exchange): Promise<void> {
  const bytes = await readDocument(request);
  const actual = digestOf(bytes);
  if (isDigest(route.reference) && route.reference !== actual) throw new RegistryFault(400, 'DIGEST_INVALID', `the manifest hashes to ${actual}`);
  const subject = checkManifest(bytes, storage);
  storage.inbox?.putManifest(route.repository, route.reference, { mediaType: (request.headers['content-type'] ?? '').split(';')[0] ?? '', bytes });
  response.writeHead(201, {
    Location: `/v2/${route.repository}/manifests/${actual}`,
    'Docker-Content-Digest': actual,
    'Content-Length': 0,
    ...(subject === undefined ? {} : { 'OCI-Subject': subject }),
  });
  response.end();
}

/** Refuses a manifest that is none or names blobs that are not there; the result is the digest of its subject. */
function checkManifest(bytes: Buffer, storage: RegistryStorage): string | undefined {
  let manifest: { schemaVersion?: unknown; config?: unknown; layers?: unknown; subject?: { digest?: unknown } };
  try {
    manifest = JSON.parse(bytes.toString()) as typeof manifest;
  } catch {
    throw new RegistryFault(400, 'MANIFEST_INVALID', 'the manifest is not JSON');
  }
  if (manifest?.schemaVersion !== 2) throw new RegistryFault(400, 'MANIFEST_INVALID', 'the manifest is not of schema version 2');
  const blobs = [...(manifest.config === undefined ? [] : [manifest.config]), ...(Array.isArray(manifest.layers) ? manifest.layers : [])];
  for (const blob of blobs as { digest?: unknown }[]) {
    const digest = digestParameter(String(blob?.digest));
    if (storage.blobSize(digest) === undefined) throw new RegistryFault(400, 'MANIFEST_BLOB_UNKNOWN', `there is no blob ${digest}`);
  }
  return typeof manifest.subject?.digest === 'string' ? digestParameter(manifest.subject.digest) : undefined;
}

async function startUpload(storage: RegistryStorage, uploads: BlobUploads, repository: string, { query, request, response }: Exchange): Promise<void> {
  const mount = query.get('mount');
  if (mount !== null && storage.blobSize(digestParameter(mount)) !== undefined) return created(response, repository, mount);
  const id = uploads.start(repository);
  const digest = query.get('digest');
  if (digest !== null) {
    await uploads.append(repository, id, bodyOf(request));
    await uploads.finish(repository, id, digestParameter(digest));
    return created(response, repository, digest);
  }
  accepted(response, repository, id, 0);
}

async function continueUpload(uploads: BlobUploads, { repository, id }: Route & { kind: 'upload' }, exchange: Exchange): Promise<void> {
  const { method, query, request, response } = exchange;
  if (method === 'PATCH') {
    const offset = /^(\d{1,15})-\d{1,15}$/.exec(request.headers['content-range'] ?? '')?.[1];
    const received = await uploads.append(repository, id, bodyOf(request), offset === undefined ? undefined : Number(offset));
    return accepted(response, repository, id, received);
  }
  if (method === 'PUT') {
    const digest = digestParameter(query.get('digest') ?? '');
    await uploads.append(repository, id, bodyOf(request));
    await uploads.finish(repository, id, digest);
    return created(response, repository, digest);
  }
  if (method !== 'DELETE') throw new RegistryFault(405, 'UNSUPPORTED', `${method} is not understood here`);
  await uploads.cancel(repository, id);
  response.writeHead(204).end();
}

function accepted(response: ServerResponse, repository: string, id: string, received: number): void {
  response.writeHead(202, {
    Location: `/v2/${repository}/blobs/uploads/${id}`,
    'Docker-Upload-UUID': id,
    Range: `0-${Math.max(received - 1, 0)}`,
    'Content-Length': 0,
  });
  response.end();
}

function created(response: ServerResponse, repository: string, digest: string): void {
  response.writeHead(201, { Location: `/v2/${repository}/blobs/${digest}`, 'Docker-Content-Digest': digest, 'Content-Length': 0 });
  response.end();
}

/** The body; what is left of it after an error stays readable, so that the connection can still be answered. */
function bodyOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}

async function readDocument(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyOf(request)) {
    size += chunk.length;
    if (size > MAX_DOCUMENT) throw new RegistryFault(413, 'SIZE_INVALID', `a manifest may have ${MAX_DOCUMENT} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new RegistryFault(400, 'NAME_INVALID', 'the path is not valid');
  }
}

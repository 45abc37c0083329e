import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { RegistryLogin } from '#ports';
import type { BlobUploads } from './blob-uploads.ts';
import { checkManifest } from './check-manifest.ts';
import { digestLike, digestParameter, isContentDigest } from './content-digest.ts';
import { requireLogin } from './registry-access.ts';
import { RegistryFault, sendJson } from './registry-fault.ts';
import { MAX_DOCUMENT, type RegistryInbox, type RegistryStorage } from './registry-storage.ts';
import { parseTarget, type Route } from './route.ts';
import { sendReferrers, sendTags } from './send-lists.ts';

/** The parts that pushes need. */
export interface RegistryWriter {
  readonly inbox: RegistryInbox;
  readonly login: RegistryLogin;
  readonly uploads: BlobUploads;
}

/** A request and its response. */
interface Exchange {
  readonly method: string;
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Answers one request of the OCI distribution specification; throws `RegistryFault` for an error
 * response. Reads need no login and work with any repository name. Writes need the login. So does
 * `/v2/`, the first request of Docker's clients: they send their login only to registries that
 * require it there.
 */
export async function handleRequest(
  storage: RegistryStorage,
  writer: RegistryWriter | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { route, query } = parseTarget(request.url);
  const method = request.method ?? 'GET';
  const exchange: Exchange = { method, query, request, response };
  response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
  const isRead = method === 'GET' || method === 'HEAD';
  const isOpen = isRead && !['ping', 'upload', 'uploads'].includes(route.kind);
  if (writer !== undefined && !isOpen) requireLogin(request, writer.login);
  if (isRead) return read(storage, writer?.uploads, route, exchange);
  if (writer === undefined)
    throw new RegistryFault(405, 'UNSUPPORTED', 'this registry is read-only');
  const { inbox, uploads } = writer;
  if (method === 'PUT' && route.kind === 'manifest')
    return putManifest(storage, inbox, route, exchange);
  if (method === 'POST' && route.kind === 'uploads')
    return startUpload(storage, uploads, route.repository, exchange);
  if (route.kind === 'upload') return continueUpload(uploads, route, exchange);
  if (method === 'DELETE' && (route.kind === 'manifest' || route.kind === 'blob'))
    return deleteContent(inbox, route, exchange);
  throw new RegistryFault(405, 'UNSUPPORTED', `${method} is not supported here`);
}

async function read(
  storage: RegistryStorage,
  uploads: BlobUploads | undefined,
  route: Route,
  exchange: Exchange,
): Promise<void> {
  const { method, query, response } = exchange;
  switch (route.kind) {
    case 'ping':
      return sendJson(response, 200, {});
    case 'tags':
      return sendTags(response, query, route.repository, storage.tags(route.repository));
    case 'referrers':
      return sendReferrers(response, query, storage.referrers(route.repository, route.digest));
    case 'manifest': {
      const found = storage.manifest(route.repository, route.reference);
      if (found === undefined)
        throw new RegistryFault(
          404,
          'MANIFEST_UNKNOWN',
          `${route.repository} has no manifest ${route.reference}`,
        );
      response.writeHead(200, {
        'Content-Type': found.mediaType,
        'Content-Length': found.bytes.length,
        'Docker-Content-Digest': digestLike(route.reference, found.bytes),
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
      throw new RegistryFault(405, 'UNSUPPORTED', 'uploads cannot be listed');
  }
}

async function sendBlob(
  storage: RegistryStorage,
  route: Route & { kind: 'blob' },
  { method, request, response }: Exchange,
): Promise<void> {
  const size = storage.blobSize(route.digest);
  const file = storage.blobFile(route.digest);
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Docker-Content-Digest': route.digest,
    'Accept-Ranges': 'bytes',
  };
  if (method === 'HEAD' && size !== undefined) {
    response.writeHead(200, { ...headers, 'Content-Length': size });
    return void response.end();
  }
  if (size === undefined || file === undefined)
    throw new RegistryFault(404, 'BLOB_UNKNOWN', `blob ${route.digest} is missing or damaged`);
  const range = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  const end = Math.min(range?.[2] ? Number(range[2]) : size - 1, size - 1);
  if (range !== null && start > end)
    throw new RegistryFault(416, 'SIZE_INVALID', `the blob has ${size} bytes`);
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'Content-Length': size === 0 ? 0 : end - start + 1,
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end}/${size}` }),
  });
  if (size === 0) return void response.end();
  await pipeline(createReadStream(file, { start, end, highWaterMark: 1 << 18 }), response);
}

async function putManifest(
  storage: RegistryStorage,
  inbox: RegistryInbox,
  route: Route & { kind: 'manifest' },
  { request, response }: Exchange,
): Promise<void> {
  const bytes = await readDocument(request);
  const actual = digestLike(route.reference, bytes);
  if (isContentDigest(route.reference) && route.reference !== actual)
    throw new RegistryFault(400, 'DIGEST_INVALID', `the manifest has the digest ${actual}`);
  const subject = checkManifest(bytes, storage);
  inbox.putManifest(route.repository, route.reference, {
    mediaType: (request.headers['content-type'] ?? '').split(';')[0] ?? '',
    bytes,
  });
  response.writeHead(201, {
    Location: `/v2/${route.repository}/manifests/${actual}`,
    'Docker-Content-Digest': actual,
    'Content-Length': 0,
    ...(subject === undefined ? {} : { 'OCI-Subject': subject }),
  });
  response.end();
}

async function startUpload(
  storage: RegistryStorage,
  uploads: BlobUploads,
  repository: string,
  { query, request, response }: Exchange,
): Promise<void> {
  const mount = query.get('mount');
  if (mount !== null && storage.blobSize(digestParameter(mount)) !== undefined)
    return created(response, repository, mount);
  const named = query.get('digest');
  // Checked before the upload starts: one that fails here would stay open.
  const digest = named === null ? undefined : digestParameter(named);
  const id = uploads.start(repository);
  if (digest === undefined) return accepted(response, repository, id, 0);
  await uploads.append(repository, id, bodyOf(request));
  await uploads.finish(repository, id, digest);
  created(response, repository, digest);
}

async function continueUpload(
  uploads: BlobUploads,
  { repository, id }: Route & { kind: 'upload' },
  exchange: Exchange,
): Promise<void> {
  const { method, query, request, response } = exchange;
  if (method === 'PATCH') {
    const received = await uploads.append(repository, id, bodyOf(request), offsetOf(request));
    return accepted(response, repository, id, received);
  }
  if (method === 'PUT') {
    const digest = digestParameter(query.get('digest') ?? '');
    await uploads.append(repository, id, bodyOf(request), offsetOf(request));
    await uploads.finish(repository, id, digest);
    return created(response, repository, digest);
  }
  if (method !== 'DELETE')
    throw new RegistryFault(405, 'UNSUPPORTED', `${method} is not supported here`);
  await uploads.cancel(repository, id);
  response.writeHead(204).end();
}

/** Position of a chunk in its upload, if the client names it. */
function offsetOf(request: IncomingMessage): number | undefined {
  const range = /^(\d{1,15})-\d{1,15}$/.exec(request.headers['content-range'] ?? '');
  return range === null ? undefined : Number(range[1]);
}

/** Removes pushed content. Content of the store itself cannot be deleted through the registry. */
function deleteContent(
  inbox: RegistryInbox,
  route: Route & { kind: 'manifest' | 'blob' },
  { response }: Exchange,
): void {
  const removed =
    route.kind === 'blob'
      ? inbox.deleteBlob(route.digest)
      : inbox.deleteManifest(route.repository, route.reference);
  if (!removed)
    throw new RegistryFault(
      404,
      route.kind === 'blob' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN',
      'nothing with this name was pushed in this run',
    );
  response.writeHead(202, { 'Content-Length': 0 }).end();
}

function accepted(
  response: ServerResponse,
  repository: string,
  id: string,
  received: number,
): void {
  response.writeHead(202, {
    Location: `/v2/${repository}/blobs/uploads/${id}`,
    'Docker-Upload-UUID': id,
    Range: `0-${Math.max(received - 1, 0)}`,
    'Content-Length': 0,
  });
  response.end();
}

function created(response: ServerResponse, repository: string, digest: string): void {
  response.writeHead(201, {
    Location: `/v2/${repository}/blobs/${digest}`,
    'Docker-Content-Digest': digest,
    'Content-Length': 0,
  });
  response.end();
}

/** The body. After an error the rest stays readable, so that a response can still be sent. */
function bodyOf(request: IncomingMessage): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }) };
}

async function readDocument(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bodyOf(request)) {
    size += chunk.length;
    if (size > MAX_DOCUMENT)
      throw new RegistryFault(
        413,
        'SIZE_INVALID',
        `a manifest must not exceed ${MAX_DOCUMENT} bytes`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

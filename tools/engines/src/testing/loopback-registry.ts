import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const UNKNOWN = Buffer.from(
  JSON.stringify({ errors: [{ code: 'MANIFEST_UNKNOWN', message: 'not here' }] }),
);

/** A registry that an engine can push to and pull from. */
export interface LoopbackRegistry {
  /** `127.0.0.1:PORT`. */
  readonly address: string;
  close(): void;
}

/**
 * An in-memory registry with the requests of an engine's push and pull (OCI distribution
 * specification).
 */
export async function loopbackRegistry(): Promise<LoopbackRegistry> {
  const blobs = new Map<string, Buffer>();
  const manifests = new Map<string, { readonly type: string; readonly bytes: Buffer }>();
  const uploads = new Map<string, Buffer[]>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://registry');
    const body = Buffer.concat(await request.toArray());
    const [, repository, kind, name] =
      /^\/v2\/(.+)\/(blobs\/uploads|blobs|manifests)\/(.*)$/.exec(url.pathname) ?? [];
    const reply = (
      status: number,
      headers: Record<string, string | number> = {},
      bytes?: Buffer,
    ): void => {
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : bytes);
    };
    if (kind === undefined) return reply(200);
    if (kind === 'blobs/uploads') {
      const id = name === '' ? String(uploads.size) : name!;
      const chunks = uploads.get(id) ?? [];
      uploads.set(id, [...chunks, body]);
      const bytes = Buffer.concat(uploads.get(id)!);
      const location = {
        Location: `/v2/${repository}/blobs/uploads/${id}`,
        Range: `0-${Math.max(0, bytes.length - 1)}`,
      };
      if (request.method !== 'PUT') return reply(202, location);
      const digest = digestOf(bytes);
      blobs.set(digest, bytes);
      return reply(digest === url.searchParams.get('digest') ? 201 : 400, {
        ...location,
        'Docker-Content-Digest': digest,
      });
    }
    if (kind === 'manifests' && request.method === 'PUT') {
      const digest = digestOf(body);
      const manifest = { type: request.headers['content-type']!, bytes: body };
      manifests.set(`${repository}/${name}`, manifest).set(`${repository}/${digest}`, manifest);
      return reply(201, { 'Docker-Content-Digest': digest });
    }
    const found =
      kind === 'blobs'
        ? { type: 'application/octet-stream', bytes: blobs.get(name!) }
        : manifests.get(`${repository}/${name}`);
    if (found?.bytes === undefined)
      return reply(404, { 'Content-Type': 'application/json' }, UNKNOWN);
    reply(
      200,
      {
        'Content-Type': found.type,
        'Content-Length': found.bytes.length,
        'Docker-Content-Digest': digestOf(found.bytes),
      },
      found.bytes,
    );
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

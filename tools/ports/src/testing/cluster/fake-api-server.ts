import { omitUndefined } from '#core';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type {
  DeleteOptions,
  KubernetesObject,
  LiveObject,
  ObjectRef,
  Selection,
} from '../../cluster.ts';
import { accessOf, targetOf, type ApiAccess, type ApiTarget } from './api-access.ts';
import { ApiFaults, type ApiFault } from './api-faults.ts';
import {
  applyReply,
  errorReply,
  missingReply,
  failureReply,
  staleReply,
  type ApiReply,
} from './api-responses.ts';
import { discoveryOf } from './api-discovery.ts';
import type { FakeCluster } from './fake-cluster-options.ts';
import { isSelected } from './selectors.ts';
import { serveWatch, type WatchQuery } from './serve-watch.ts';

/** An API server in this process for an in-memory cluster. */
export interface FakeApiServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly faults: ApiFaults;
  /** All requests so far: `PATCH /apis/apps/v1/...?...`. */
  readonly requests: readonly string[];
  /** Kubeconfig for the server. */
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/**
 * Serves a fake cluster on 127.0.0.1 with the protocol of kube-apiserver: discovery, pages, watches
 * with bookmarks and `Status` responses. Injects faults on request. Denies (403) each
 * access that `allows` refuses.
 */
export async function startFakeApiServer(
  fake: FakeCluster,
  {
    bookmarkMs = 1000,
    allows = () => true,
  }: {
    readonly bookmarkMs?: number;
    readonly allows?: (access: ApiAccess) => boolean;
  } = {},
): Promise<FakeApiServer> {
  const faults = new ApiFaults();
  const requests: string[] = [];
  const pages = new Map<string, readonly LiveObject[]>();
  const kinds = await fake.kinds();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/' } = request;
    requests.push(`${method} ${path}`);
    const url = new URL(path, 'http://fake');
    const fault = faults.take(method, path);
    if (fault?.fault === 'drop' && fault.when === 'before') return void request.socket.destroy();
    if (fault?.fault === 'body') return void response.end(fault.text);
    if (fault?.fault === 'status') return send(response, statusReply(fault));
    const target = targetOf(kinds, url.pathname);
    if (target !== undefined && !(await isAllowed(method, url, target)))
      return send(response, failureReply(403, 'Forbidden', `${method} ${url.pathname} is denied`));
    if (
      method === 'GET' &&
      target !== undefined &&
      target.name === undefined &&
      url.searchParams.has('watch')
    ) {
      return serveWatch(fake.store, response, watchQuery(target, url), { fault, bookmarkMs });
    }
    const body = method === 'GET' ? undefined : await json(request).catch(() => undefined);
    const reply = await answer(method, url, target, body).catch(errorReply);
    if (fault?.fault === 'drop') return void request.socket.destroy();
    if (typeof reply === 'string') response.setHeader('content-type', 'text/plain').end(reply);
    else send(response, reply);
  }

  async function isAllowed(method: string, url: URL, target: ApiTarget): Promise<boolean> {
    const access = accessOf(method, url, target);
    if (!allows(access)) return false;
    const { name } = target;
    if (method !== 'PATCH' || name === undefined) return true;
    return (await fake.get(refOf(target, name))) !== undefined
      ? true
      : allows({ ...access, verb: 'create' });
  }

  async function answer(
    method: string,
    url: URL,
    target: ApiTarget | undefined,
    body: unknown,
  ): Promise<ApiReply | string> {
    if (url.pathname === '/version') return { code: 200, body: versionBody(await fake.version()) };
    if (url.pathname === '/api' || url.pathname === '/apis')
      return { code: 200, body: discoveryOf(kinds, url.pathname === '/api') };
    if (target === undefined)
      return failureReply(404, 'NotFound', 'the server could not find the requested resource');
    if (target.name === undefined)
      return method === 'POST'
        ? await create(target, url, body as KubernetesObject)
        : await list(target, url);
    const ref = refOf(target, target.name);
    const fieldManager = url.searchParams.get('fieldManager') ?? 'unknown';
    switch (method) {
      case 'GET': {
        if (target.subresource === 'log') return await logs(ref, url);
        const found = await fake.get(ref);
        return found === undefined
          ? missingReply(`${target.kind.plural} "${ref.name}"`)
          : { code: 200, body: found };
      }
      case 'PATCH':
        return applyReply(
          await fake.apply(body as KubernetesObject, {
            fieldManager,
            force: url.searchParams.get('force') === 'true',
            dryRun: url.searchParams.get('dryRun') === 'All',
          }),
          ref,
        );
      case 'PUT': {
        const result = await fake.update(body as LiveObject, {
          fieldManager,
          ...(target.subresource === 'status' ? { subresource: 'status' as const } : {}),
        });
        if (result.outcome === 'missing')
          return missingReply(`${target.kind.plural} "${ref.name}"`);
        return result.outcome === 'stale'
          ? staleReply(ref.name)
          : { code: 200, body: result.object };
      }
      default:
        return await remove(ref, target, body);
    }
  }

  async function create(target: ApiTarget, url: URL, object: KubernetesObject): Promise<ApiReply> {
    const result = await fake.create(object, {
      fieldManager: url.searchParams.get('fieldManager') ?? 'unknown',
    });
    return result.outcome === 'created'
      ? { code: 201, body: result.object }
      : failureReply(
          409,
          'AlreadyExists',
          `${target.kind.plural} "${object.metadata.name}" already exists`,
        );
  }

  async function remove(ref: ObjectRef, { kind }: ApiTarget, body: unknown): Promise<ApiReply> {
    const { preconditions } = (body ?? {}) as DeleteOptions;
    const result = await fake.delete(ref, preconditions === undefined ? {} : { preconditions });
    if (result.outcome === 'missing') return missingReply(`${kind.plural} "${ref.name}"`);
    if (result.outcome === 'stale') return failureReply(409, 'Conflict', 'Precondition failed');
    return {
      code: 200,
      body: (await fake.get(ref)) ?? { kind: 'Status', apiVersion: 'v1', status: 'Success' },
    };
  }

  async function list(target: ApiTarget, url: URL): Promise<ApiReply> {
    const { apiVersion, kind } = target.kind;
    const token = url.searchParams.get('continue');
    const kept =
      token === null
        ? (await fake.list({ apiVersion, kind }, watchQuery(target, url).selection)).items
        : pages.get(token);
    if (kept === undefined)
      return failureReply(410, 'Expired', 'The provided continue parameter is too old');
    const limit = Number(url.searchParams.get('limit') ?? kept.length);
    const rest = kept.slice(limit);
    const next = rest.length === 0 ? undefined : `page-${pages.size}`;
    if (next !== undefined) pages.set(next, rest);
    const items = kept.slice(0, limit).map(({ apiVersion: _, kind: __, ...item }) => item);
    return {
      code: 200,
      body: {
        kind: `${kind}List`,
        apiVersion,
        metadata: {
          resourceVersion: String(fake.store.resourceVersion),
          ...omitUndefined({ continue: next }),
        },
        items,
      },
    };
  }

  async function logs({ namespace = '', name }: ObjectRef, url: URL): Promise<ApiReply | string> {
    const container = url.searchParams.get('container');
    const text = await fake.logs(
      { namespace, name },
      {
        ...(container === null ? {} : { container }),
        tail: Number(url.searchParams.get('tailLines') ?? 100),
        previous: url.searchParams.get('previous') === 'true',
      },
    );
    return text ?? missingReply(`pods "${name}"`);
  }

  const server = createServer(
    (request, response) => void handle(request, response).catch(() => request.socket.destroy()),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as { readonly port: number }).port}`;
  return {
    url,
    faults,
    requests,
    kubeconfig: JSON.stringify({
      'current-context': 'fake',
      contexts: [{ name: 'fake', context: { cluster: 'fake' } }],
      clusters: [{ name: 'fake', cluster: { server: url } }],
    }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refOf({ kind: { apiVersion, kind }, namespace }: ApiTarget, name: string): ObjectRef {
  return { apiVersion, kind, name, ...omitUndefined({ namespace }) };
}

function watchQuery({ kind, namespace }: ApiTarget, { searchParams }: URL): WatchQuery {
  const [labelSelector, fieldSelector] = [
    searchParams.get('labelSelector'),
    searchParams.get('fieldSelector'),
  ];
  const selection: Selection = {
    ...omitUndefined({ namespace }),
    ...(labelSelector === null ? {} : { labelSelector }),
    ...(fieldSelector === null ? {} : { fieldSelector }),
  };
  return {
    kind,
    selection,
    isSeen: (object) =>
      object.kind === kind.kind &&
      object.apiVersion === kind.apiVersion &&
      isSelected(object, selection),
    from: Number(searchParams.get('resourceVersion') ?? 0),
    seconds: Number(searchParams.get('timeoutSeconds') ?? 300),
  };
}

function statusReply({
  code,
  reason = 'InternalError',
  message = `fault ${code}`,
  retryAfterSeconds,
}: ApiFault & { readonly fault: 'status' }): ApiReply {
  return {
    ...failureReply(code, reason, message),
    ...omitUndefined({ retryAfterSeconds }),
  };
}

function versionBody({
  major,
  minor,
  gitVersion,
}: {
  readonly major: number;
  readonly minor: number;
  readonly gitVersion: string;
}): object {
  return { major: String(major), minor: String(minor), gitVersion };
}

function send(response: ServerResponse, { code, body, retryAfterSeconds }: ApiReply): void {
  response.writeHead(code, {
    'content-type': 'application/json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(JSON.stringify(body));
}

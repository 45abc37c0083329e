import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, isRecord, type CcpError } from '#core';
import type { ClusterKind, LiveObject, Selection, WatchEvent } from '#ports';
import { withQuery, type ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import { backOff, type Server } from './retrying-server.ts';
import {
  requestError,
  cleanMessage,
  statusError,
  unexpectedResponse,
  type ClusterCall,
} from './cluster-error.ts';
import { objectPath } from './discovery.ts';
import { listObjects, queryOf } from './list-objects.ts';
import { readObject } from './live-object.ts';
import { readResponse } from './transport.ts';
import { watchLines } from './watch-lines.ts';

/** Milliseconds, seconds and bytes of a watch. */
export interface WatchLimits {
  /**
   * Idle time after which a connection is considered lost; API servers send a bookmark every
   * minute.
   */
  readonly idleMs: number;
  /** The server closes a watch after this time; the watch is then resumed. */
  readonly turnSeconds: number;
  readonly lineBytes: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** Default limits. */
export const WATCH_LIMITS: WatchLimits = {
  idleMs: 90_000,
  turnSeconds: 290,
  lineBytes: 16 * 1024 * 1024,
  firstWaitMs: 250,
  longestWaitMs: 15_000,
};

/** One item of a watch stream: an event of the port, a resource version to resume from, or both. */
type WatchItem = { readonly event?: WatchEvent; readonly resourceVersion: string } | 'expired';

/**
 * Lists, then watches from that resource version. Resumes at the last version after a lost
 * connection, and starts with a new list after a 410. See `Cluster.watch`.
 */
export async function* watchObjects(
  server: Server,
  kind: ClusterKind,
  selection: Selection,
  options: {
    readonly pageSize: number;
    readonly limits: WatchLimits;
    readonly signal?: AbortSignal;
  },
): AsyncGenerator<WatchEvent, void> {
  const stop = new AbortController();
  const signal = AbortSignal.any([
    stop.signal,
    ...[options.signal, server.signal].filter((each) => each !== undefined),
  ]);
  const { limits } = options;
  let from: string | undefined;
  let faults = 0;
  try {
    while (!signal.aborted) {
      const began = Date.now();
      try {
        if (from === undefined) {
          const list = await listObjects({ ...server, signal }, kind, selection, options.pageSize);
          from = list.resourceVersion;
          yield { type: 'listed', items: list.items };
        }
        for await (const item of watchOnce(server, kind, selection, from, limits, signal)) {
          faults = 0;
          if (item === 'expired') {
            from = undefined;
            break;
          }
          from = item.resourceVersion;
          if (item.event !== undefined) yield item.event;
        }
        if (from !== undefined && Date.now() - began < limits.firstWaitMs)
          await pause(limits.firstWaitMs, signal);
      } catch (thrown) {
        if (signal.aborted) break;
        const error = requestError(thrown, callOf(server, kind));
        if (!isTransient(error)) throw error;
        faults += 1;
        if (faults === 1) yield { type: 'lost', error };
        await pause(backOff(faults, limits), signal);
      }
    }
  } finally {
    stop.abort();
  }
}

async function* watchOnce(
  server: Server,
  kind: ClusterKind,
  selection: Selection,
  from: string,
  limits: WatchLimits,
  signal: AbortSignal,
): AsyncGenerator<WatchItem, void> {
  const call = callOf(server, kind);
  const path = withQuery(objectPath(kind, selection), {
    ...queryOf(selection),
    watch: 1,
    allowWatchBookmarks: true,
    resourceVersion: from,
    timeoutSeconds: limits.turnSeconds,
  });
  const request: ApiRequest = { method: 'GET', path, doing: call.doing };
  let answer = await server.transport.open(request, await server.credentials.get(), signal);
  if (answer.statusCode === 401) {
    answer.destroy();
    answer = await server.transport.open(
      request,
      await server.credentials.get({ refresh: true }),
      signal,
    );
  }
  const status = answer.statusCode ?? 0;
  if (status !== 200) {
    const refusal = await readResponse(answer, call.doing);
    if (status === 410) return yield 'expired';
    throw statusError(readStatus(refusal), call);
  }
  for await (const line of watchLines(answer, limits)) {
    if (line.trim() === '') continue;
    const item = readEvent(line, kind, call);
    yield item;
    if (item === 'expired') return;
  }
}

function readEvent(line: string, kind: ClusterKind, call: ClusterCall): WatchItem {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    throw unexpectedResponse('a watch event that is not JSON', call);
  }
  const { type, object } = isRecord(parsed) ? parsed : {};
  if (type === 'BOOKMARK') {
    const { resourceVersion } = (
      isRecord(object) && isRecord(object['metadata']) ? object['metadata'] : {}
    ) as { readonly resourceVersion?: string };
    if (typeof resourceVersion !== 'string')
      throw unexpectedResponse('a bookmark without a resourceVersion', call);
    return { resourceVersion };
  }
  if (type === 'ERROR') {
    const { code, message } = (isRecord(object) ? object : {}) as {
      readonly code?: number;
      readonly message?: string;
    };
    if (code === 410) return 'expired';
    throw statusError(
      { code: code ?? 500, reason: '', message: cleanMessage(String(message)), causes: [] },
      call,
    );
  }
  const live: LiveObject = readObject(object, kind, call);
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED')
    throw unexpectedResponse('a watch event of an unknown type', call);
  return {
    event: { type: type === 'DELETED' ? 'deleted' : 'changed', object: live },
    resourceVersion: live.metadata.resourceVersion,
  };
}

function isTransient(error: CcpError): boolean {
  return ['cluster-unreachable', 'cluster-failed', 'cluster-busy'].includes(codeOf(error) ?? '');
}

function callOf(server: Server, kind: ClusterKind): ClusterCall {
  return { server: server.transport.server, doing: `watch ${kind.plural}` };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

import type { ServerResponse } from 'node:http';
import type { ClusterKind, LiveObject, Selection } from '../../cluster.ts';
import { failureReply } from './api-responses.ts';
import type { ApiFault } from './api-faults.ts';
import { changeWithin, type WatchChange, type ObjectStore } from './object-store.ts';

export interface WatchQuery {
  readonly kind: ClusterKind;
  readonly selection: Selection;
  readonly isSeen: (object: LiveObject) => boolean;
  /** resourceVersion to continue from. */
  readonly from: number;
  readonly seconds: number;
}

/**
 * Sends changes of a store, one per line, with bookmarks, until the timeout or until the client
 * disconnects.
 */
export function serveWatch(
  store: ObjectStore,
  response: ServerResponse,
  { kind, isSeen, from, seconds }: WatchQuery,
  { fault, bookmarkMs }: { readonly fault: ApiFault | undefined; readonly bookmarkMs: number },
): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  if (fault?.fault === 'silence') return;
  const line = (type: string, object: object) => `${JSON.stringify({ type, object })}\n`;
  const missed = store.changesSince(from);
  if (missed === undefined)
    return void response.end(
      line('ERROR', failureReply(410, 'Expired', `too old resource version: ${from}`).body),
    );
  const sendChange = (change: WatchChange) => {
    const type = changeWithin(change, isSeen);
    if (type === undefined) return;
    const text = line(type, change.object);
    if (fault?.fault !== 'cut') return void response.write(text);
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  };
  for (const change of missed) sendChange(change);
  const unlisten = store.listen(sendChange);
  const { apiVersion, kind: name } = kind;
  const bookmarks = setInterval(
    () =>
      response.write(
        line('BOOKMARK', {
          apiVersion,
          kind: name,
          metadata: { resourceVersion: String(store.resourceVersion) },
        }),
      ),
    bookmarkMs,
  );
  const end = setTimeout(() => response.end(), seconds * 1000);
  response.once('close', () => {
    unlisten();
    clearInterval(bookmarks);
    clearTimeout(end);
  });
}

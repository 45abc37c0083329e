import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections above the limit that the system may accept before older ones are closed. */
const MARGIN = 64;
/** A request counts as at least this old when its speed is compared, in milliseconds. */
const SHORTEST_MS = 1000;

/** A request without the login whose response is not complete. */
interface OpenRead {
  readonly started: number;
  /** Bytes that the connection had sent before it. */
  readonly sent: number;
}

/**
 * Limits the open connections of a server. A further connection replaces the oldest one without a
 * request in progress, so that clients that send nothing cannot keep others out. If all connections
 * have a request in progress, it replaces the one without the login that reads its response most
 * slowly. It is closed itself if all requests in progress have the login. A connection that sends a
 * request before the previous one is answered is closed: each would keep a file open.
 */
export function boundConnections(
  server: Server,
  most: number,
  hasLogin: (request: IncomingMessage) => boolean,
): void {
  const open = new Set<Socket>();
  /** Connections without a complete request, the oldest first. */
  const waiting = new Set<Socket>();
  const reads = new Map<Socket, OpenRead>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    waiting.delete(socket);
    reads.delete(socket);
  };
  server.maxConnections = most + MARGIN;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size > most) {
      const [replaced = slowest(reads) ?? socket] = waiting;
      forget(replaced);
      replaced.destroy();
    }
    if (!socket.destroyed) waiting.add(socket);
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    if (!waiting.delete(socket) && open.has(socket)) {
      forget(socket);
      socket.destroy();
      return;
    }
    if (!hasLogin(request))
      reads.set(socket, { started: performance.now(), sent: socket.bytesWritten });
    response.once('close', () => {
      reads.delete(socket);
      if (open.has(socket)) waiting.add(socket);
    });
  });
}

/** The connection of the read with the fewest bytes per second; undefined without a read. */
function slowest(reads: ReadonlyMap<Socket, OpenRead>): Socket | undefined {
  const now = performance.now();
  let found: { readonly socket: Socket; readonly speed: number } | undefined;
  for (const [socket, { started, sent }] of reads) {
    const speed = (socket.bytesWritten - sent) / Math.max(now - started, SHORTEST_MS);
    if (found === undefined || speed < found.speed) found = { socket, speed };
  }
  return found?.socket;
}

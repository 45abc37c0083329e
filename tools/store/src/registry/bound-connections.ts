import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Connections above the limit that the system may accept before older ones are closed. */
const MARGIN = 64;

/**
 * Limits the open connections of a server. A further connection replaces the oldest one without a
 * request in progress, so that clients that send nothing cannot keep others out. It is closed
 * itself if every connection has a request in progress.
 */
export function boundConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  /** Connections without a complete request, the oldest first. */
  const waiting = new Set<Socket>();
  const forget = (socket: Socket): void => {
    open.delete(socket);
    waiting.delete(socket);
  };
  server.maxConnections = most + MARGIN;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    waiting.add(socket);
    socket.once('close', () => forget(socket));
    if (open.size <= most) return;
    const [oldest = socket] = waiting;
    forget(oldest);
    oldest.destroy();
  });
  server.on('request', ({ socket }, response) => {
    waiting.delete(socket);
    response.once('close', () => {
      if (open.has(socket)) waiting.add(socket);
    });
  });
}

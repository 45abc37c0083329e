import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerByGit } from '../../tools/fetch/src/testing/git-backend.ts';

/** Serves the bare repositories of a folder over HTTP on loopback by git's own backend. */
export async function serveGit(
  folder: string,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) =>
    answerByGit(
      folder,
      new URL(request.url ?? '/', 'http://localhost').pathname,
      request,
      response,
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

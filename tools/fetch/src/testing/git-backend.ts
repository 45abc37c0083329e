import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Answers a request for the repository at `path`, below the folder `root`, with git's CGI program.
 */
export function answerByGit(
  root: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: new URL(request.url ?? '/', 'http://127.0.0.1').search.slice(1),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      REMOTE_ADDR: '127.0.0.1',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => {
    const all = Buffer.concat(chunks);
    const end = all.indexOf('\r\n\r\n');
    const lines = all.subarray(0, end).toString('latin1').split('\r\n');
    const { Status: status = '200', ...headers } = Object.fromEntries(
      lines.map((line) => line.split(/:\s*/, 2) as [string, string]),
    );
    response.writeHead(Number.parseInt(status, 10), headers);
    response.end(all.subarray(end + 4));
  });
}
